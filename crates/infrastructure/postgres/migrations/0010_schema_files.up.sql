-- The file that each schema was last seeded from: what it said, and which version of the schema it became. By this a
-- program that starts knows whether the file has changed since, and whether people have changed the schema.
CREATE TABLE schema_files (
    schema_name    text        NOT NULL PRIMARY KEY,
    file_version   int         NOT NULL CHECK (file_version >= 1),
    content_hash   bytea       NOT NULL CHECK (length(content_hash) = 32),
    schema_version int         NOT NULL,
    seeded_at      timestamptz NOT NULL
);
