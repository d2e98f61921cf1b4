-- These have just ended, and others come after them. A statement of its own, as passing the turn is: it sees the runs
-- that were put behind them while the one that ended them waited.
UPDATE runs
SET listed_at = NULL
WHERE id = ANY ($1::uuid[]) AND turn IS NULL AND listed_at IS NOT NULL
  AND EXISTS (SELECT 1 FROM runs later
              WHERE later.subject_id = runs.subject_id AND later.pipeline = 'document'
                AND (later.created_at, later.id) > (runs.created_at, runs.id))
