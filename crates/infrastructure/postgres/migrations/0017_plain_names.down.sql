-- The names from before.

DROP TRIGGER document_confidence_go_with_documents ON documents;
DROP TRIGGER document_confidence_follow_reviews ON documents;
DROP TRIGGER document_confidence_follow_runs ON runs;
DROP TRIGGER document_confidence_follow_versions ON interpretation_versions;
DROP FUNCTION document_confidence_goes_with_document();
DROP FUNCTION document_confidence_follows_review();
DROP FUNCTION document_confidence_follows_run();
DROP FUNCTION document_confidence_follows_version();
DROP FUNCTION begin_document_confidence(uuid);
DROP FUNCTION refresh_document_confidence(uuid);
DROP VIEW current_document_confidence;

ALTER TABLE minute_metrics RENAME TO figures;
ALTER INDEX minute_metrics_pkey RENAME TO figures_pkey;
ALTER TABLE run_search_text RENAME TO run_words;
ALTER INDEX run_search_text_pkey RENAME TO run_words_pkey;
ALTER TABLE run_words RENAME COLUMN search_text TO words;
ALTER TABLE interpretation_versions RENAME COLUMN confidence TO certainty;
ALTER TABLE interpretation_versions
    RENAME CONSTRAINT interpretation_versions_confidence_check TO interpretation_versions_certainty_check;
ALTER TABLE document_confidence RENAME TO certainties;
ALTER INDEX document_confidence_pkey RENAME TO certainties_pkey;
ALTER INDEX document_confidence_least_first RENAME TO certainties_least_first;
ALTER TABLE certainties RENAME COLUMN confidence TO certainty;

CREATE VIEW current_certainties AS
SELECT d.id AS document_id, v.certainty,
       d.review_status = 'IN_REVIEW' AND v.certainty IS NOT NULL AS is_open
FROM documents d
LEFT JOIN LATERAL (SELECT id FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                   ORDER BY completed_at DESC, created_at DESC, id DESC
                   LIMIT 1) r ON true
LEFT JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active;

-- First the row is locked and then its new values are read: of two transactions at the same time, the second sees what
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
