-- How certain what was understood is, so that the least certain can be looked at first.

-- transaction
-- The least confidence among the critical fields of a version; the domain says how it is told.
ALTER TABLE interpretation_versions ADD COLUMN certainty double precision NOT NULL DEFAULT 0;
ALTER TABLE interpretation_versions
    ADD CONSTRAINT interpretation_versions_certainty_check CHECK (certainty BETWEEN 0 AND 1) NOT VALID;

-- Until the versions from before have their certainty, that alone may change.
CREATE OR REPLACE FUNCTION only_deactivate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF to_jsonb(OLD) - 'certainty' IS NOT DISTINCT FROM to_jsonb(NEW) - 'certainty' THEN
        RETURN NEW;
    END IF;
    IF NOT (OLD.is_active AND NOT NEW.is_active)
       OR (to_jsonb(OLD) - 'is_active') IS DISTINCT FROM (to_jsonb(NEW) - 'is_active') THEN
        RAISE EXCEPTION USING MESSAGE = 'versions are append-only', ERRCODE = '23514';
    END IF;
    RETURN NEW;
END $$;

-- How certain the active version of the latest completed run of each document is. It tells nothing that the versions do
-- not tell; it is there so that an index can have the documents that wait for a person, the least certain first. Not a
-- column of documents: their rows stay as they are, however far their runs come. No foreign key either: that would lock
-- the document behind its run, and edits lock them the other way round.
CREATE TABLE certainties (
    document_id uuid    NOT NULL PRIMARY KEY,
    -- Null while the latest completed run has understood nothing.
    certainty   double precision,
    is_open     boolean NOT NULL CHECK (NOT is_open OR certainty IS NOT NULL)
);

-- Which documents to look at first?
CREATE INDEX certainties_least_first ON certainties (certainty, document_id) WHERE is_open;

CREATE VIEW current_certainties AS
SELECT d.id AS document_id, v.certainty,
       d.review_status = 'IN_REVIEW' AND v.certainty IS NOT NULL AS is_open
FROM documents d
LEFT JOIN LATERAL (SELECT id FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                   ORDER BY completed_at DESC, created_at DESC, id DESC
                   LIMIT 1) r ON true
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active;

-- First the row is locked and then looked at what is to be in it, so that of two who come at once the second sees what
-- the first has done.
CREATE FUNCTION follow_certainty(document uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM certainties WHERE document_id = document FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE certainties c
    SET certainty = now.certainty, is_open = now.is_open
    FROM current_certainties now
    WHERE c.document_id = document AND now.document_id = document;
END $$;

-- The same, where there may be no row yet: there must be one to lock.
CREATE FUNCTION begin_certainty(document uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO certainties (document_id, is_open)
    SELECT id, false FROM documents WHERE id = document
    ON CONFLICT DO NOTHING;
    PERFORM follow_certainty(document);
END $$;

-- It follows each version, each run that completes and each person who checks, in their transactions.
CREATE FUNCTION certainty_follows_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM begin_certainty((SELECT subject_id FROM runs WHERE id = NEW.run_id));
    RETURN NULL;
END $$;

CREATE FUNCTION certainty_follows_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM follow_certainty(NEW.subject_id);
    RETURN NULL;
END $$;

CREATE FUNCTION certainty_follows_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM begin_certainty(NEW.id);
    RETURN NULL;
END $$;

CREATE FUNCTION certainty_goes_with_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM certainties WHERE document_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER certainties_follow_versions AFTER INSERT ON interpretation_versions
FOR EACH ROW EXECUTE FUNCTION certainty_follows_version();
CREATE TRIGGER certainties_follow_runs AFTER UPDATE OF state ON runs
FOR EACH ROW
WHEN (NEW.state = 'COMPLETED' AND OLD.state <> 'COMPLETED' AND NEW.pipeline = 'document')
EXECUTE FUNCTION certainty_follows_run();
CREATE TRIGGER certainties_follow_reviews AFTER UPDATE OF review_status ON documents
FOR EACH ROW
WHEN (NEW.review_status <> OLD.review_status)
EXECUTE FUNCTION certainty_follows_review();
CREATE TRIGGER certainties_go_with_documents AFTER DELETE ON documents
FOR EACH ROW EXECUTE FUNCTION certainty_goes_with_document();

-- in batches of interpretation_versions.id
UPDATE interpretation_versions
SET certainty = coalesce((SELECT min(CASE WHEN field ->> 'origin' = 'human' THEN 1
                                          ELSE (field ->> 'confidence')::double precision END)
                          FROM json_array_elements(data::json -> 'fields') AS field
                          WHERE (field ->> 'is_critical')::boolean
                            AND (field ->> 'origin' = 'human'
                                 OR (field -> 'value')::text NOT IN ('null', '""'))), 0)
WHERE id > $1 AND id <= $2;

-- in batches of documents.id
SELECT begin_certainty(document_id) FROM current_certainties
WHERE document_id > $1 AND document_id <= $2 AND certainty IS NOT NULL;

-- transaction
CREATE OR REPLACE FUNCTION only_deactivate() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT (OLD.is_active AND NOT NEW.is_active)
       OR (to_jsonb(OLD) - 'is_active') IS DISTINCT FROM (to_jsonb(NEW) - 'is_active') THEN
        RAISE EXCEPTION USING MESSAGE = 'versions are append-only', ERRCODE = '23514';
    END IF;
    RETURN NEW;
END $$;

-- Reads the table while others write.
-- no-transaction
ALTER TABLE interpretation_versions VALIDATE CONSTRAINT interpretation_versions_certainty_check;
