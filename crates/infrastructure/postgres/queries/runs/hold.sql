-- Which of these still have the fence that their writer knows. They stay as they are until the commit. Everybody
-- who locks several runs locks them in the order of their ids, so that no two can wait for each other.
SELECT runs.id
FROM runs
JOIN unnest($1::uuid[], $2::int[]) AS u (id, fence) ON runs.id = u.id AND runs.fence = u.fence
ORDER BY runs.id
FOR NO KEY UPDATE OF runs
