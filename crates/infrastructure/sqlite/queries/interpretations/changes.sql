-- Returns the changes of the newest two hundred versions.
SELECT {field_change c}
FROM interpretation_versions v
JOIN field_changes c ON c.interpretation_id = v.id
WHERE v.run_id = ?1
  AND v.version_number > (SELECT max(version_number) - 200 FROM interpretation_versions WHERE run_id = ?1)
ORDER BY v.version_number, c.place
