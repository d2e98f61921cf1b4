-- Returns the version of the given number, or the active version if no number is given.
SELECT {version}
FROM interpretation_versions
WHERE run_id = $1
  AND version_number = coalesce($2::int, (SELECT version_number
                                     FROM interpretation_versions
                                     WHERE run_id = $1 AND is_active))
