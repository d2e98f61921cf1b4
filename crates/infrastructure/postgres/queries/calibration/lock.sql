-- Whoever learns of the same waits; in one order, so that nobody waits in a circle.
SELECT {calibration a}
FROM calibration_aggregates a
WHERE a.policy_version = $1 AND a.context_key = $2
  AND (a.field_key, a.mapping_id) IN (SELECT * FROM unnest($3::text[], $4::text[]))
ORDER BY a.field_key, a.mapping_id
FOR UPDATE
