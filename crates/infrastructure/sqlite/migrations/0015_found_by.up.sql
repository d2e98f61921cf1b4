-- What the active version of each run says, in small letters and without accents: so that a search reads a few words and no
-- whole version. It tells nothing that the version does not tell. Runs from before have none until they are edited.
CREATE TABLE run_words (
    run_id BLOB NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    words  TEXT NOT NULL
) WITHOUT ROWID;
