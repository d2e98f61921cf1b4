-- The language that was asked for when the run was created. It stays, whatever is asked for later.

-- transaction
ALTER TABLE runs ADD COLUMN language TEXT;

-- Until now no language could be changed, so that what a document has is what its runs were created with.
-- in batches of runs.id
UPDATE runs
SET language = (SELECT language_override FROM documents WHERE id = runs.subject_id)
WHERE id > ?1 AND id <= ?2 AND pipeline = 'document' AND turn IS NOT NULL;

-- transaction
CREATE TRIGGER runs_language_is_final BEFORE UPDATE OF language ON runs
BEGIN
    SELECT RAISE(ABORT, 'the language of a run does not change');
END;
