DROP TABLE search_vectors;
ALTER TABLE documents DROP COLUMN embedding;
ALTER TABLE documents DROP COLUMN embedding_model;
ALTER TABLE search_documents DROP COLUMN model;
