DROP TABLE search_trigrams;
DROP TABLE search_terms;
DROP TABLE search_chunks;
DROP TABLE search_documents;

-- The constraints keep the names that the table had when it was made.
CREATE TABLE run_words (
    run_id uuid PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    words  text NOT NULL
);
ALTER TABLE run_words RENAME TO run_search_text;
ALTER INDEX run_words_pkey RENAME TO run_search_text_pkey;
ALTER TABLE run_search_text RENAME COLUMN words TO search_text;
