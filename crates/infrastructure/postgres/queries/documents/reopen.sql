UPDATE documents
SET review_status = 'IN_REVIEW', reviewed_at = NULL, reviewed_by = NULL, reviewed_run_id = NULL,
    reviewed_version = NULL, updated_at = $2
WHERE id = $1 AND review_status = 'REVIEWED'
