-- The words of whole documents, so that one query tells which documents have all words that are asked for, wherever they stand.

-- The folded words of each document, by its number.
CREATE VIRTUAL TABLE search_words_of_documents USING fts5 (
    words, content = '', contentless_delete = 1, tokenize = 'ascii', detail = none, prefix = '2 3'
);

-- Whether these are the words of its chunks. A program that does not know the table leaves 0, and the next one that does adds them.
ALTER TABLE search_documents ADD COLUMN has_words INTEGER NOT NULL DEFAULT 0 CHECK (has_words IN (0, 1));

CREATE VIRTUAL TABLE temp.search_word_places USING fts5vocab ('main', 'search_words', 'instance');
INSERT INTO search_words_of_documents (rowid, words)
SELECT doc >> 16, group_concat(term, ' ') FROM temp.search_word_places GROUP BY doc >> 16;
DROP TABLE temp.search_word_places;
UPDATE search_documents SET has_words = 1;

CREATE INDEX search_documents_without_words ON search_documents (number) WHERE has_words = 0;

CREATE TRIGGER search_documents_take_their_words AFTER DELETE ON search_documents
BEGIN
    DELETE FROM search_words_of_documents WHERE rowid = OLD.number;
END;

CREATE TRIGGER search_chunks_add_words AFTER INSERT ON search_chunks
BEGIN
    UPDATE search_documents SET has_words = 0 WHERE number = NEW.document_number AND has_words = 1;
END;

CREATE TRIGGER search_chunks_take_words AFTER DELETE ON search_chunks
BEGIN
    UPDATE search_documents SET has_words = 0 WHERE number = OLD.document_number AND has_words = 1;
END;

-- What a search asks of each document that it finds. The row itself is long, because it has a vector.
CREATE INDEX documents_found ON documents (id, created_at, schema_name, review_status, language_override, hidden_at);
-- The same for documents in the order of time.
CREATE INDEX documents_found_by_time ON documents (created_at, id, schema_name, review_status, language_override, hidden_at);
