-- Of the newest two hundred versions.
SELECT c.interpretation_id, c.change_type, c.field_id, c.field_key, c.field_path, c.value_type, c.old_value, c.new_value,
       c.mapping_id
FROM interpretation_versions v
JOIN field_changes c ON c.interpretation_id = v.id
WHERE v.run_id = $1
  AND v.version_number > (SELECT max(version_number) - 200 FROM interpretation_versions WHERE run_id = $1)
ORDER BY v.version_number, c.place
