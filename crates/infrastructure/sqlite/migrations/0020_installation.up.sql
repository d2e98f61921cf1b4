-- The id that the database shares with the storage of its files. There is one row at most, and it never changes.
CREATE TABLE installation (
    only_row   INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    id         BLOB    NOT NULL CHECK (length(id) = 16),
    created_at INTEGER NOT NULL
);

CREATE TRIGGER installation_is_final BEFORE UPDATE ON installation
BEGIN
    SELECT RAISE(ABORT, 'the id of an installation does not change');
END;

-- Purged subjects stay purged: a late transaction cannot store anything for them.
CREATE TABLE purged_subjects (
    subject_id BLOB    NOT NULL PRIMARY KEY CHECK (length(subject_id) = 16),
    purged_at  INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TRIGGER documents_stay_purged BEFORE INSERT ON documents
WHEN EXISTS (SELECT 1 FROM purged_subjects WHERE subject_id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'this subject was purged, and nothing can be stored for it any more');
END;

CREATE TRIGGER runs_stay_purged BEFORE INSERT ON runs
WHEN EXISTS (SELECT 1 FROM purged_subjects WHERE subject_id = NEW.subject_id)
BEGIN
    SELECT RAISE(ABORT, 'this subject was purged, and nothing can be stored for it any more');
END;
