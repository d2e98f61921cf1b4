-- Takes the place in the list of documents from the run before this one.
UPDATE runs
SET listed_at = NULL
WHERE id = (SELECT id FROM runs
            WHERE subject_id = ?1 AND pipeline = 'document' AND (created_at, id) < (?2, ?3)
            ORDER BY created_at DESC, id DESC
            LIMIT 1)
  AND listed_at IS NOT NULL
