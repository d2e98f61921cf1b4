-- The version of that number, or the active one.
SELECT {version}
FROM interpretation_versions
WHERE run_id = ?1
  AND version_number = coalesce(?2, (SELECT version_number
                                     FROM interpretation_versions
                                     WHERE run_id = ?1 AND is_active = 1))
