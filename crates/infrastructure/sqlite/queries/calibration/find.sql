SELECT {calibration}
FROM calibration_aggregates
WHERE policy_version = ?1 AND context_key = ?2 AND field_key = ?3 AND mapping_id = ?4
