-- The newest two hundred.
SELECT id, version_number, is_active, created_at, created_by, made_by
FROM interpretation_versions
WHERE run_id = $1
  AND version_number > (SELECT max(version_number) - 200 FROM interpretation_versions WHERE run_id = $1)
ORDER BY version_number
