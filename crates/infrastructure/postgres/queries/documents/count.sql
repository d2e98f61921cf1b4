SELECT count(*) FROM (SELECT 1 FROM documents ORDER BY created_at LIMIT $1) counted
