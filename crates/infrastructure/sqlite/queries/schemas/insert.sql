INSERT INTO schema_versions (id, schema_name, version_number, definition, created_at, created_by, change_summary)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (schema_name, version_number) DO NOTHING
