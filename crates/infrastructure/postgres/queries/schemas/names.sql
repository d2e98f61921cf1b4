SELECT DISTINCT schema_name COLLATE "C" FROM schema_versions ORDER BY 1
