SELECT count(*) AS counted FROM (SELECT 1 FROM document_confidence WHERE is_open = 1 LIMIT ?1) AS counted
