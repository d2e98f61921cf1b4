-- Finds the runs to claim among those that wait in these lanes, if the worker's lease is alive: most urgent first, then longest
-- queued. Walks the index of the lanes, and skips the runs that another claim has locked or that a free permit wakes.
SELECT {run r}
FROM unnest($5::text[]) AS wanted (lane)
CROSS JOIN LATERAL (SELECT *
                    FROM runs
                    WHERE runs.lane = wanted.lane AND turn = 'DELAYED' AND pipeline = ANY ($1)
                    ORDER BY priority DESC, queued_at, id
                    LIMIT $2
                    FOR UPDATE SKIP LOCKED) AS r
WHERE EXISTS (SELECT 1 FROM workers
              WHERE id = $3 AND ended_at IS NULL AND (lease_until IS NULL OR lease_until > greatest($4, clock_timestamp())))
ORDER BY r.priority DESC, r.queued_at, r.id
LIMIT $2
