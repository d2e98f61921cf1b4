-- Tables, columns, triggers and functions get names that say what they hold. No row changes.

DROP TRIGGER certainties_go_with_documents ON documents;
DROP TRIGGER certainties_follow_reviews ON documents;
DROP TRIGGER certainties_follow_runs ON runs;
DROP TRIGGER certainties_follow_versions ON interpretation_versions;
DROP FUNCTION certainty_goes_with_document();
DROP FUNCTION certainty_follows_review();
DROP FUNCTION certainty_follows_run();
DROP FUNCTION certainty_follows_version();
DROP FUNCTION begin_certainty(uuid);
DROP FUNCTION follow_certainty(uuid);
DROP VIEW current_certainties;

ALTER TABLE figures RENAME TO minute_metrics;
ALTER INDEX figures_pkey RENAME TO minute_metrics_pkey;
ALTER TABLE run_words RENAME TO run_search_text;
ALTER INDEX run_words_pkey RENAME TO run_search_text_pkey;
ALTER TABLE run_search_text RENAME COLUMN words TO search_text;
ALTER TABLE interpretation_versions RENAME COLUMN certainty TO confidence;
ALTER TABLE interpretation_versions
    RENAME CONSTRAINT interpretation_versions_certainty_check TO interpretation_versions_confidence_check;
ALTER TABLE certainties RENAME TO document_confidence;
ALTER INDEX certainties_pkey RENAME TO document_confidence_pkey;
ALTER INDEX certainties_least_first RENAME TO document_confidence_least_first;
ALTER TABLE document_confidence RENAME COLUMN certainty TO confidence;

CREATE VIEW current_document_confidence AS
SELECT d.id AS document_id, v.confidence,
       d.review_status = 'IN_REVIEW' AND v.confidence IS NOT NULL AS is_open
FROM documents d
LEFT JOIN LATERAL (SELECT id FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                   ORDER BY completed_at DESC, created_at DESC, id DESC
                   LIMIT 1) r ON true
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active;

-- First the row is locked and then its new values are read: of two transactions at the same time, the second sees what
-- the first has done.
CREATE FUNCTION refresh_document_confidence(document uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM document_confidence WHERE document_id = document FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE document_confidence c
    SET confidence = now.confidence, is_open = now.is_open
    FROM current_document_confidence now
    WHERE c.document_id = document AND now.document_id = document;
END $$;

-- The same, where there may be no row yet: there must be one to lock.
CREATE FUNCTION begin_document_confidence(document uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO document_confidence (document_id, is_open)
    SELECT id, false FROM documents WHERE id = document
    ON CONFLICT DO NOTHING;
    PERFORM refresh_document_confidence(document);
END $$;

CREATE FUNCTION document_confidence_follows_version() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM begin_document_confidence((SELECT subject_id FROM runs WHERE id = NEW.run_id));
    RETURN NULL;
END $$;

CREATE FUNCTION document_confidence_follows_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM refresh_document_confidence(NEW.subject_id);
    RETURN NULL;
END $$;

CREATE FUNCTION document_confidence_follows_review() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM begin_document_confidence(NEW.id);
    RETURN NULL;
END $$;

CREATE FUNCTION document_confidence_goes_with_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM document_confidence WHERE document_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER document_confidence_follow_versions AFTER INSERT ON interpretation_versions
FOR EACH ROW EXECUTE FUNCTION document_confidence_follows_version();
CREATE TRIGGER document_confidence_follow_runs AFTER UPDATE OF state ON runs
FOR EACH ROW
WHEN (NEW.state = 'COMPLETED' AND OLD.state <> 'COMPLETED' AND NEW.pipeline = 'document')
EXECUTE FUNCTION document_confidence_follows_run();
CREATE TRIGGER document_confidence_follow_reviews AFTER UPDATE OF review_status ON documents
FOR EACH ROW
WHEN (NEW.review_status <> OLD.review_status)
EXECUTE FUNCTION document_confidence_follows_review();
CREATE TRIGGER document_confidence_go_with_documents AFTER DELETE ON documents
FOR EACH ROW EXECUTE FUNCTION document_confidence_goes_with_document();
