-- The language that was asked for when the run was created. It stays, whatever is asked for later.

ALTER TABLE runs ADD COLUMN language TEXT;

-- Until now no language could be changed, so that what a document has is what its runs were created with.
UPDATE runs
SET language = (SELECT language_override FROM documents WHERE id = runs.subject_id)
WHERE pipeline = 'document' AND turn IS NOT NULL;

CREATE TRIGGER runs_language_is_final BEFORE UPDATE OF language ON runs
BEGIN
    SELECT RAISE(ABORT, 'the language of a run does not change');
END;
