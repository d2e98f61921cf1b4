SELECT {schema_summary}
FROM schema_versions
WHERE schema_name = ?1
ORDER BY version_number DESC
LIMIT ?2
