INSERT INTO calibration_snapshots (id, document_id, run_id, context_key, policy_version, signals, applied_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
