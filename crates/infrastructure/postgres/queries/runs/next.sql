-- The claim: who is ready, most urgent first, then longest queued, if the worker's lease is alive. Only fronts are
-- READY, so a subject with a hundred thousand runs waiting costs no more than one with a single run. Each
-- pipeline's best are found by walking its part of the index, and what another claimer holds is stepped over.
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
