-- The words of whole documents, so that one query tells which documents have all words that are asked for, wherever they stand.

-- transaction
CREATE TABLE search_words_of_documents (
    document_number bigint NOT NULL PRIMARY KEY REFERENCES search_documents (number) ON DELETE CASCADE,
    -- The words of its chunks. NULL if they are more than the type holds.
    words           tsvector
);

CREATE INDEX search_words_of_documents_by_words ON search_words_of_documents USING gin (words);
CREATE INDEX search_words_of_documents_too_many ON search_words_of_documents (document_number) WHERE words IS NULL;

CREATE FUNCTION words_of_document(number bigint) RETURNS tsvector LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN coalesce(sum(octet_length(lexeme) + 4), 0) < 1000000
                THEN array_to_tsvector(coalesce(array_agg(lexeme), '{}')) END
    FROM (SELECT DISTINCT w.lexeme FROM search_chunks c, unnest(c.words) w WHERE c.document_number = number) l
$$;

-- Programs that do not know the table change chunks as well.
CREATE FUNCTION words_of_documents_follow_chunks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_words_of_documents (document_number, words)
    SELECT s.number, words_of_document(s.number)
    FROM search_documents s
    WHERE s.number IN (SELECT document_number FROM changed)
    ON CONFLICT (document_number) DO UPDATE SET words = excluded.words;
    RETURN NULL;
END $$;

CREATE TRIGGER search_chunks_add_words AFTER INSERT ON search_chunks
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION words_of_documents_follow_chunks();

CREATE TRIGGER search_chunks_take_words AFTER DELETE ON search_chunks
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION words_of_documents_follow_chunks();

-- in batches of documents.id
INSERT INTO search_words_of_documents (document_number, words)
SELECT number, words_of_document(number)
FROM search_documents
WHERE document_id > $1 AND document_id <= $2
ON CONFLICT (document_number) DO NOTHING;
