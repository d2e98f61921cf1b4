-- Takes the places in the list of documents from runs that have just ended, if a later run exists. This is a
-- statement of its own, as pass_turn.sql is, so that it sees the runs that other transactions added while the
-- statement that ended these runs waited for its locks.
UPDATE runs
SET listed_at = NULL
WHERE id = ANY ($1::uuid[]) AND turn IS NULL AND listed_at IS NOT NULL
  AND EXISTS (SELECT 1 FROM runs later
              WHERE later.subject_id = runs.subject_id AND later.pipeline = 'document'
                AND (later.created_at, later.id) > (runs.created_at, runs.id))
