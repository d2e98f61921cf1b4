UPDATE documents
SET review_status = 'REVIEWED', reviewed_at = $2, reviewed_by = $3, updated_at = $2,
    reviewed_run_id = $4, reviewed_version = $5
WHERE id = $1 AND review_status = 'IN_REVIEW'
