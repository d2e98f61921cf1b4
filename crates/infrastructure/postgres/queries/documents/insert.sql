INSERT INTO documents (id, original_filename, content_type, file_size, content_hash, storage_path, created_at,
                       updated_at, language_override, schema_name)
SELECT u.id, u.original_filename, u.content_type, u.file_size, u.content_hash, u.storage_path, u.at, u.at,
       u.language_override, u.schema_name
FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::text[], $7::timestamptz[], $8::text[],
            $9::text[])
     AS u (id, original_filename, content_type, file_size, content_hash, storage_path, at, language_override,
           schema_name)
