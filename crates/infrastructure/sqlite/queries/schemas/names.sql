SELECT DISTINCT schema_name FROM schema_versions ORDER BY schema_name
