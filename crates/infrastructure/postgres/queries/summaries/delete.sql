-- The row is kept, so that the request still counts as summarised.
UPDATE summaries
SET deleted_at = $2
WHERE id = $1 AND deleted_at IS NULL
