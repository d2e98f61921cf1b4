-- One more or one less, and never less than none. Their aggregates are locked.
UPDATE calibration_bins b
SET accepts = greatest(0, b.accepts + signal.accepts), edits = greatest(0, b.edits + signal.edits)
FROM unnest($3::text[], $4::text[], $5::int[], $6::int[], $7::int[])
    AS signal (field_key, mapping_id, bin, accepts, edits)
WHERE b.policy_version = $1 AND b.context_key = $2
  AND b.field_key = signal.field_key AND b.mapping_id = signal.mapping_id AND b.bin = signal.bin
