INSERT INTO schema_files (schema_name, file_version, content_hash, schema_version, seeded_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (schema_name)
DO UPDATE SET file_version = excluded.file_version, content_hash = excluded.content_hash,
              schema_version = excluded.schema_version, seeded_at = excluded.seeded_at
