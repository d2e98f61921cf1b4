-- So that there is a row to lock for each; in the order in which everybody takes them.
INSERT INTO calibration_aggregates (policy_version, context_key, field_key, mapping_id, accepts, edits, standing)
SELECT $1, $2, field_key, mapping_id, 0, 0, 'neutral'
FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS signal (field_key, mapping_id, place)
ORDER BY place
ON CONFLICT DO NOTHING
