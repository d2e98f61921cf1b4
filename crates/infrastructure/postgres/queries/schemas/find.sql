SELECT id, version_number, definition, created_at, created_by, change_summary
FROM schema_versions
WHERE schema_name = $1 AND version_number = $2
