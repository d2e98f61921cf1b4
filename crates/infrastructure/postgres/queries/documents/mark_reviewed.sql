-- Stores the document's latest completed run with the mark, if there is one.
UPDATE documents
SET review_status = 'REVIEWED', reviewed_at = $2, reviewed_by = $3, updated_at = $2,
    reviewed_run_id = (SELECT id FROM runs
                       WHERE subject_id = $1 AND pipeline = 'document' AND state = 'COMPLETED'
                       ORDER BY completed_at DESC, created_at DESC, id DESC
                       LIMIT 1)
WHERE id = $1 AND review_status = 'IN_REVIEW'
