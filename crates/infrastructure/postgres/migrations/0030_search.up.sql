-- The search index. A document has chunks: its file name (0), the values of its fields (1), and the parts of its text (from 2).
-- They say nothing that the document does not say, and are made again whenever a run of it completes.

CREATE TABLE search_documents (
    number      bigint  NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id uuid    NOT NULL UNIQUE REFERENCES documents (id) ON DELETE CASCADE,
    -- The run whose values and text are indexed. NULL before one has completed.
    run_id      uuid,
    -- Whether the text was indexed, and not only the values.
    has_text    boolean NOT NULL DEFAULT false,
    language    text
);

CREATE TABLE search_chunks (
    document_number bigint   NOT NULL REFERENCES search_documents (number) ON DELETE CASCADE,
    position        integer  NOT NULL CHECK (position BETWEEN 0 AND 65535),
    page            integer,
    text            text     NOT NULL,
    -- Where the words stand on the page.
    boxes           bytea    NOT NULL,
    -- The folded words, which the program has cut.
    words           tsvector NOT NULL,
    PRIMARY KEY (document_number, position)
);

CREATE INDEX search_chunks_by_words ON search_chunks USING gin (words);

-- The words of the index with their stems in the language of their text, and their trigrams, which find misspelt words.
CREATE TABLE search_terms (
    term     text NOT NULL,
    language text NOT NULL,
    stem     text NOT NULL,
    PRIMARY KEY (term, language)
);

CREATE INDEX search_terms_by_stem ON search_terms (stem, language);

CREATE TABLE search_trigrams (
    trigram text    NOT NULL,
    length  integer NOT NULL,
    term    text    NOT NULL,
    PRIMARY KEY (trigram, length, term)
);

CREATE INDEX search_trigrams_by_term ON search_trigrams (term);

DROP TABLE run_search_text;
