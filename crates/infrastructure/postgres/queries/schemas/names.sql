SELECT DISTINCT schema_name COLLATE "C" AS schema_name FROM schema_versions ORDER BY 1
