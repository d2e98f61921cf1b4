-- Marks the document's applied snapshot as reverted, and returns its signals.
UPDATE calibration_snapshots
SET reverted_at = ?2
WHERE document_id = ?1 AND reverted_at IS NULL
RETURNING context_key AS snapshot_context_key, policy_version AS snapshot_policy_version, signals AS snapshot_signals
