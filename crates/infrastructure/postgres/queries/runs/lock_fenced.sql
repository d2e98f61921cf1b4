-- Locks the runs that still have the fence that their writer knows. No other transaction can take them away before
-- the commit. Other transactions can still put runs behind them, because enqueueing shares this lock.
SELECT runs.id AS run_id
FROM runs
JOIN unnest($1::uuid[], $2::int[]) AS u (id, fence) ON runs.id = u.id AND runs.fence = u.fence
ORDER BY runs.id
FOR SHARE OF runs
