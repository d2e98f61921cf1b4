-- What the active version of each run says, in small letters and without accents: so that a search reads a few words and no
-- whole version. It tells nothing that the version does not tell. Runs from before have none until they are edited.
CREATE TABLE IF NOT EXISTS run_words (
    run_id uuid PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    words  text NOT NULL
);
