DROP TABLE search_trigrams;
DROP TABLE search_terms;
DROP TRIGGER search_words_go_with_chunks;
DROP TABLE search_words;
DROP TABLE search_chunks;
DROP TABLE search_documents;

CREATE TABLE run_search_text (
    run_id BLOB NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    search_text  TEXT NOT NULL
) WITHOUT ROWID;
