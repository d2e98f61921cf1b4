-- Ends the reviews of documents of which a newer run has just completed.
UPDATE documents
SET review_status = 'IN_REVIEW', reviewed_at = NULL, reviewed_by = NULL, reviewed_run_id = NULL,
    reviewed_version = NULL, updated_at = u.at
FROM unnest($1::uuid[], $2::timestamptz[]) AS u (id, at)
WHERE documents.id = u.id AND documents.review_status = 'REVIEWED'
RETURNING documents.id AS document_id
