UPDATE calibration_aggregates a
SET accepts = new.accepts, edits = new.edits, standing = new.standing
FROM unnest($3::text[], $4::text[], $5::int[], $6::int[], $7::text[])
    AS new (field_key, mapping_id, accepts, edits, standing)
WHERE a.policy_version = $1 AND a.context_key = $2 AND a.field_key = new.field_key AND a.mapping_id = new.mapping_id
