SELECT {schema_version}
FROM schema_versions
WHERE schema_name = ?1 AND version_number = ?2
