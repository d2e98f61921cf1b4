-- Returns the aggregates of exactly these pairs of key and mapping.
SELECT {calibration a}
FROM unnest($3::text[], $4::text[]) AS wanted (field_key, mapping_id)
JOIN calibration_aggregates a
    ON a.policy_version = $1 AND a.context_key = $2
    AND a.field_key = wanted.field_key AND a.mapping_id = wanted.mapping_id
