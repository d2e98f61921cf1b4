-- Finds the runs to claim, if the worker's lease is alive: the READY runs, most urgent first, then longest queued.
-- Only fronts are READY, so a subject with a hundred thousand waiting runs costs no more than a subject with one.
-- The query finds the best runs of each pipeline by walking that pipeline's part of the index, and skips the runs
-- that another claim has locked.
SELECT {run r}
FROM unnest($1::text[]) AS wanted (pipeline)
CROSS JOIN LATERAL (SELECT *
                    FROM runs
                    WHERE turn = 'READY' AND runs.pipeline = wanted.pipeline
                    ORDER BY priority DESC, queued_at, id
                    LIMIT $2
                    FOR UPDATE SKIP LOCKED) AS r
WHERE EXISTS (SELECT 1 FROM workers
              WHERE id = $3 AND ended_at IS NULL AND (lease_until IS NULL OR lease_until > greatest($4, clock_timestamp())))
ORDER BY r.priority DESC, r.queued_at, r.id
LIMIT $2
