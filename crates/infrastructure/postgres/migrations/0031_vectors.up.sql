-- Vectors for search by meaning: one for each chunk of a text, and one for each document. Without the extension pgvector they are
-- plain numbers, and documents are found by words alone.

ALTER TABLE search_documents ADD COLUMN model text;
ALTER TABLE documents ADD COLUMN embedding_model text;

DO $$
DECLARE
    place text;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'vector')
       AND EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'vector') THEN
        BEGIN
            CREATE EXTENSION vector SCHEMA public;
        EXCEPTION WHEN OTHERS THEN
            -- Another migrator was faster, or this role may not create extensions.
            NULL;
        END;
    END IF;
    SELECT n.nspname INTO place FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';
    EXECUTE format(
        'CREATE TABLE search_vectors (
            document_number bigint  NOT NULL,
            position        integer NOT NULL,
            dimension       integer NOT NULL,
            embedding       %s NOT NULL,
            PRIMARY KEY (document_number, position),
            FOREIGN KEY (document_number, position) REFERENCES search_chunks ON DELETE CASCADE)',
        CASE WHEN place IS NULL THEN 'real[]' ELSE format('%I.halfvec', place) END);
    EXECUTE format(
        'ALTER TABLE documents ADD COLUMN embedding %s',
        CASE WHEN place IS NULL THEN 'real[]' ELSE format('%I.vector', place) END);
END
$$;
