SELECT count(*) AS counted FROM (SELECT 1 FROM certainties WHERE is_open LIMIT $1) AS counted
