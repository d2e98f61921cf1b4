-- The language that was asked for when the run was created. It stays, whatever is asked for later.

-- transaction
ALTER TABLE runs ADD COLUMN language text;

-- Until now no language could be changed, so that what a document has is what its runs were created with.
-- in batches of documents.id
UPDATE runs
SET language = d.language_override
FROM documents d
WHERE d.id > $1 AND d.id <= $2
  AND d.id = runs.subject_id AND d.language_override IS NOT NULL
  AND runs.pipeline = 'document' AND runs.turn IS NOT NULL;

-- Fires only for a statement that names the column, so that the many updates of runs pay nothing.
-- transaction
CREATE TRIGGER runs_language_is_final BEFORE UPDATE OF language ON runs
FOR EACH ROW
EXECUTE FUNCTION refuse('the language of a run does not change');
