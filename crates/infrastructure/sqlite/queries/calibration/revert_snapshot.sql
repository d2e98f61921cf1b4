-- Marks the document's applied lesson as reverted, and returns the lesson.
UPDATE calibration_snapshots
SET reverted_at = ?2
WHERE document_id = ?1 AND reverted_at IS NULL
RETURNING context_key AS lesson_context_key, policy_version AS lesson_policy_version, signals AS lesson_signals
