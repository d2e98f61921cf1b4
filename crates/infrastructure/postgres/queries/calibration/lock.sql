-- Locks the aggregates, so that another transaction that counts for the same keys waits. Every transaction locks
-- them in the same order, so that no deadlock arises.
SELECT {calibration a}
FROM calibration_aggregates a
WHERE a.policy_version = $1 AND a.context_key = $2
  AND (a.field_key, a.mapping_id) IN (SELECT * FROM unnest($3::text[], $4::text[]))
ORDER BY a.field_key, a.mapping_id
FOR UPDATE
