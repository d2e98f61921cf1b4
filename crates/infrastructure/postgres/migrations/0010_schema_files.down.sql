DROP TABLE schema_files;
