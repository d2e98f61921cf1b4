-- The search index. A document has chunks: its file name (0), the values of its fields (1), and the parts of its text (from 2).
-- They say nothing that the document does not say, and are made again whenever a run of it completes.

CREATE TABLE search_documents (
    number      INTEGER NOT NULL PRIMARY KEY,
    document_id BLOB    NOT NULL UNIQUE REFERENCES documents (id) ON DELETE CASCADE,
    -- The run whose values and text are indexed. NULL before one has completed.
    run_id      BLOB    CHECK (length(run_id) = 16),
    -- Whether the text was indexed, and not only the values.
    has_text    INTEGER NOT NULL DEFAULT 0 CHECK (has_text IN (0, 1)),
    language    TEXT
);

CREATE TABLE search_chunks (
    -- The number of the document and the position, so that a hit names both.
    id              INTEGER NOT NULL PRIMARY KEY CHECK (id = document_number << 16 | position),
    document_number INTEGER NOT NULL REFERENCES search_documents (number) ON DELETE CASCADE,
    position        INTEGER NOT NULL CHECK (position BETWEEN 0 AND 65535),
    page            INTEGER,
    text            TEXT    NOT NULL,
    -- Where the words stand on the page.
    boxes           BLOB    NOT NULL
);

CREATE INDEX search_chunks_by_document ON search_chunks (document_number, position);

-- The folded words of each chunk, which the program separates by spaces.
CREATE VIRTUAL TABLE search_words USING fts5 (words, content = '', contentless_delete = 1, tokenize = 'ascii');

CREATE TRIGGER search_words_go_with_chunks AFTER DELETE ON search_chunks
BEGIN
    DELETE FROM search_words WHERE rowid = OLD.id;
END;

-- The words of the index with their stems in the language of their text, and their trigrams, which find misspelt words.
CREATE TABLE search_terms (
    term     TEXT NOT NULL,
    language TEXT NOT NULL,
    stem     TEXT NOT NULL,
    PRIMARY KEY (term, language)
) WITHOUT ROWID;

CREATE INDEX search_terms_by_stem ON search_terms (stem, language);

CREATE TABLE search_trigrams (
    trigram TEXT    NOT NULL,
    length  INTEGER NOT NULL,
    term    TEXT    NOT NULL,
    PRIMARY KEY (trigram, length, term)
) WITHOUT ROWID;

CREATE INDEX search_trigrams_by_term ON search_trigrams (term);

DROP TABLE run_search_text;
