DROP TRIGGER search_chunks_take_words ON search_chunks;
DROP TRIGGER search_chunks_add_words ON search_chunks;
DROP FUNCTION words_of_documents_follow_chunks();
DROP FUNCTION words_of_document(bigint);
DROP TABLE search_words_of_documents;
