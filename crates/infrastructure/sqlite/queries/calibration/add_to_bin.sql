-- Adds one to a count or subtracts one, and keeps the count from going below zero.
UPDATE calibration_bins
SET accepts = max(0, accepts + ?6), edits = max(0, edits + ?7)
WHERE policy_version = ?1 AND context_key = ?2 AND field_key = ?3 AND mapping_id = ?4 AND bin = ?5
