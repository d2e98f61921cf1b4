-- Vectors for search by meaning: one for each chunk of a text, and one for each document.

ALTER TABLE search_documents ADD COLUMN model TEXT;

ALTER TABLE documents ADD COLUMN embedding BLOB;
ALTER TABLE documents ADD COLUMN embedding_model TEXT;

CREATE TABLE search_vectors (
    -- Never used twice, so that a reader finds the vectors that are new to it.
    id       INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    chunk_id INTEGER NOT NULL REFERENCES search_chunks (id) ON DELETE CASCADE,
    model    TEXT    NOT NULL,
    -- Its numbers, each in four bytes.
    vector   BLOB    NOT NULL
);

CREATE INDEX search_vectors_by_chunk ON search_vectors (chunk_id);
