-- The id that the database shares with the storage of its files. There is one row at most, and it never changes.
CREATE TABLE installation (
    only_row   boolean     PRIMARY KEY DEFAULT true CHECK (only_row),
    id         uuid        NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TRIGGER installation_is_final BEFORE UPDATE ON installation
FOR EACH ROW EXECUTE FUNCTION refuse('the id of an installation does not change');

-- Purged subjects stay purged: a late transaction cannot store anything for them.
CREATE TABLE purged_subjects (
    subject_id uuid        PRIMARY KEY,
    purged_at  timestamptz NOT NULL
);

CREATE FUNCTION refuse_purged_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purged_subjects WHERE subject_id = NEW.id) THEN
        RAISE EXCEPTION USING MESSAGE = 'this subject was purged, and nothing can be stored for it any more',
                              ERRCODE = '23514';
    END IF;
    RETURN NEW;
END $$;

CREATE FUNCTION refuse_purged_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM purged_subjects WHERE subject_id = NEW.subject_id) THEN
        RAISE EXCEPTION USING MESSAGE = 'this subject was purged, and nothing can be stored for it any more',
                              ERRCODE = '23514';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER documents_stay_purged BEFORE INSERT ON documents
FOR EACH ROW EXECUTE FUNCTION refuse_purged_document();

CREATE TRIGGER runs_stay_purged BEFORE INSERT ON runs
FOR EACH ROW EXECUTE FUNCTION refuse_purged_run();
