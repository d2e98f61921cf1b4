-- Which of these still have the fence that their writer knows. Until the commit nobody can take them away, but runs
-- may queue up behind them: those who enqueue share this lock instead of waiting for it.
SELECT runs.id AS run_id
FROM runs
JOIN unnest($1::uuid[], $2::int[]) AS u (id, fence) ON runs.id = u.id AND runs.fence = u.fence
ORDER BY runs.id
FOR SHARE OF runs
