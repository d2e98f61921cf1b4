-- Returns the newest two hundred versions.
SELECT {version_history}
FROM interpretation_versions
WHERE run_id = ?1
  AND version_number > (SELECT max(version_number) - 200 FROM interpretation_versions WHERE run_id = ?1)
ORDER BY version_number
