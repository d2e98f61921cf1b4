INSERT INTO calibration_aggregates (policy_version, context_key, field_key, mapping_id, accepts, edits, standing)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT DO UPDATE SET accepts = excluded.accepts, edits = excluded.edits, standing = excluded.standing
