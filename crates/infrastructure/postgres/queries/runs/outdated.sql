-- Returns the claims whose run has another fence by now, or is gone.
SELECT u.id AS run_id, u.fence AS run_fence
FROM unnest($1::uuid[], $2::int[]) AS u (id, fence)
WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = u.id AND runs.fence = u.fence)
