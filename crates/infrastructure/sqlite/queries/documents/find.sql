SELECT original_filename, content_type, file_size, content_hash, storage_path, created_at, review_status,
       language_override, schema_name
FROM documents
WHERE id = ?1
