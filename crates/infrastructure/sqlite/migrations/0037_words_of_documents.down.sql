DROP INDEX documents_found_by_time;
DROP INDEX documents_found;
DROP TRIGGER search_chunks_take_words;
DROP TRIGGER search_chunks_add_words;
DROP TRIGGER search_documents_take_their_words;
DROP INDEX search_documents_without_words;
ALTER TABLE search_documents DROP COLUMN has_words;
DROP TABLE search_words_of_documents;
