-- Returns the aggregates of exactly these pairs: ?3 is a JSON array of pairs, each a key and its mapping.
SELECT {calibration a}
FROM json_each(?3) AS wanted
JOIN calibration_aggregates a
    ON a.policy_version = ?1 AND a.context_key = ?2
    AND a.field_key = wanted.value ->> 0 AND a.mapping_id = wanted.value ->> 1
