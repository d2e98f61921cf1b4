SELECT count(*) AS counted FROM (SELECT 1 FROM document_confidence WHERE is_open LIMIT $1) AS counted
