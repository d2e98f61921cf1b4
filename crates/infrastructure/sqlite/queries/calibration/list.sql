-- Returns each aggregate with the sums of its key over all mappings, and with its bins that are not empty.
SELECT {calibration a},
       sum(accepts) OVER of_key AS calibration_key_accepts, sum(edits) OVER of_key AS calibration_key_edits,
       (SELECT json_group_array(json_array(b.bin, b.accepts, b.edits))
        FROM calibration_bins b
        WHERE b.policy_version = a.policy_version AND b.context_key = a.context_key
          AND b.field_key = a.field_key AND b.mapping_id = a.mapping_id) AS calibration_bins
FROM calibration_aggregates a
WHERE policy_version = ?1 AND accepts + edits > 0
  AND (?2 IS NULL OR field_key = ?2) AND (?3 IS NULL OR context_key = ?3)
WINDOW of_key AS (PARTITION BY context_key, field_key)
ORDER BY context_key, field_key, mapping_id
LIMIT ?4 OFFSET ?5
