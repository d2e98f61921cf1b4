DROP TABLE search_bands;
ALTER TABLE search_documents DROP COLUMN signature;
