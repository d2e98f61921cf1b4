UPDATE runs r
SET schema_name = u.schema_name, schema_version = u.schema_version
FROM unnest($1::uuid[], $2::text[], $3::int[], $4::int[]) AS u (id, schema_name, schema_version, fence)
WHERE r.id = u.id AND r.schema_name = 'auto' AND r.fence = u.fence
