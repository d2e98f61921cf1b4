SELECT {run}
FROM runs
WHERE subject_id = $1 AND pipeline = 'document'
ORDER BY created_at DESC, id DESC
LIMIT $2
