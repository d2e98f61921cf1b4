SELECT {schema_file} FROM schema_files WHERE schema_name = ?1
