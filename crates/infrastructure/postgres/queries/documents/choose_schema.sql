-- Only while a document leaves the choice open: meanwhile a person may have chosen another schema. The caller has locked the
-- documents.
UPDATE documents d
SET schema_name = u.schema_name, updated_at = u.at
FROM unnest($1::uuid[], $2::text[], $3::timestamptz[]) AS u (id, schema_name, at)
WHERE d.id = u.id AND d.schema_name = 'auto'
