INSERT INTO calibration_bins (policy_version, context_key, field_key, mapping_id, bin, accepts, edits)
SELECT $1, $2, field_key, mapping_id, bin, 0, 0
FROM unnest($3::text[], $4::text[], $5::int[]) AS signal (field_key, mapping_id, bin)
ON CONFLICT DO NOTHING
