-- Inserts the missing aggregates, so that each has a row to lock. Every transaction inserts them in the same order.
INSERT INTO calibration_aggregates (policy_version, context_key, field_key, mapping_id, accepts, edits, standing)
SELECT $1, $2, field_key, mapping_id, 0, 0, 'neutral'
FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS signal (field_key, mapping_id, place)
ORDER BY place
ON CONFLICT DO NOTHING
