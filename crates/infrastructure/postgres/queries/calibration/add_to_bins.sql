-- Adds one to a count or subtracts one, and keeps the count from going below zero. The transaction has locked the
-- aggregates of these bins.
UPDATE calibration_bins b
SET accepts = greatest(0, b.accepts + signal.accepts), edits = greatest(0, b.edits + signal.edits)
FROM unnest($3::text[], $4::text[], $5::int[], $6::int[], $7::int[])
    AS signal (field_key, mapping_id, bin, accepts, edits)
WHERE b.policy_version = $1 AND b.context_key = $2
  AND b.field_key = signal.field_key AND b.mapping_id = signal.mapping_id AND b.bin = signal.bin
