SELECT file_version, content_hash, schema_version FROM schema_files WHERE schema_name = $1
