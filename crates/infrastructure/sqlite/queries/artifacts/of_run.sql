SELECT {artifact}
FROM artifacts
WHERE run_id = ?1
ORDER BY id
