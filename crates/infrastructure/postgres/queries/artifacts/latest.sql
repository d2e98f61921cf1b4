-- Searches the subject's runs from the newest to the oldest, and returns the first such artifact.
SELECT {artifact a}, r.id AS run_id
FROM runs r
JOIN artifacts a ON a.run_id = r.id AND a.artifact_type = $2
WHERE r.subject_id = $1
ORDER BY r.created_at DESC, r.id DESC, a.id DESC
LIMIT 1
