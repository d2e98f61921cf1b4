INSERT INTO calibration_bins (policy_version, context_key, field_key, mapping_id, bin, accepts, edits)
VALUES (?1, ?2, ?3, ?4, ?5, 0, 0)
ON CONFLICT DO NOTHING
