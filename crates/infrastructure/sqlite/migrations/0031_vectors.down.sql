DROP TABLE search_vectors;
ALTER TABLE documents DROP COLUMN embedding_model;
ALTER TABLE documents DROP COLUMN embedding;
ALTER TABLE search_documents DROP COLUMN model;
