-- Like lock_fenced.sql, but also waits for the other writers that hold the run: one of them may be an earlier try of the same
-- write.
SELECT runs.id AS run_id
FROM runs
JOIN unnest($1::uuid[], $2::int[]) AS u (id, fence) ON runs.id = u.id AND runs.fence = u.fence
ORDER BY runs.id
FOR NO KEY UPDATE OF runs
