SELECT review_status, reviewed_at, reviewed_by FROM documents WHERE id = $1
