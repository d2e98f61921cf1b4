INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, created_at,
                       updated_at, language_override, schema_name)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9)
