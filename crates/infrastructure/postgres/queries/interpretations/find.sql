-- The version of that number, or the active one.
SELECT id, version_number, data, created_at, created_by, made_by
FROM interpretation_versions
WHERE run_id = $1
  AND version_number = coalesce($2::int, (SELECT version_number
                                     FROM interpretation_versions
                                     WHERE run_id = $1 AND is_active))
