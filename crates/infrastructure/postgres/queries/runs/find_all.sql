SELECT {run}
FROM runs
WHERE id = ANY ($1::uuid[])
