UPDATE runs
SET schema_name = ?2, schema_version = ?3
WHERE id = ?1 AND schema_name = 'auto' AND fence = ?4
