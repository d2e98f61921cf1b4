-- The names from before.

DROP TRIGGER document_confidence_go_with_documents;
DROP TRIGGER document_confidence_follow_reviews;
DROP TRIGGER document_confidence_follow_runs;
DROP TRIGGER document_confidence_follow_versions;
DROP VIEW current_document_confidence;
DROP INDEX document_confidence_least_first;
DROP TRIGGER interpretation_versions_are_final;

ALTER TABLE minute_metrics RENAME TO figures;
ALTER TABLE run_search_text RENAME TO run_words;
ALTER TABLE run_words RENAME COLUMN search_text TO words;
ALTER TABLE interpretation_versions RENAME COLUMN confidence TO certainty;
ALTER TABLE document_confidence RENAME TO certainties;
ALTER TABLE certainties RENAME COLUMN confidence TO certainty;

CREATE TRIGGER interpretation_versions_are_final BEFORE UPDATE ON interpretation_versions
WHEN NOT (OLD.is_active = 1 AND NEW.is_active = 0 AND OLD.id = NEW.id AND OLD.run_id = NEW.run_id
          AND OLD.version_number = NEW.version_number AND OLD.data = NEW.data AND OLD.created_at = NEW.created_at
          AND OLD.created_by IS NEW.created_by AND OLD.pending_review = NEW.pending_review
          AND OLD.certainty = NEW.certainty)
BEGIN
    SELECT RAISE(ABORT, 'versions are append-only');
END;

CREATE INDEX certainties_least_first ON certainties (certainty, document_id) WHERE is_open = 1;

CREATE VIEW current_certainties AS
SELECT d.id AS document_id, v.certainty,
       d.review_status = 'IN_REVIEW' AND v.certainty IS NOT NULL AS is_open
FROM documents d
LEFT JOIN interpretation_versions v
       ON v.is_active = 1
      AND v.run_id = (SELECT id FROM runs
                      WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                      ORDER BY completed_at DESC, created_at DESC, id DESC
                      LIMIT 1);

CREATE TRIGGER certainties_follow_versions AFTER INSERT ON interpretation_versions
BEGIN
    INSERT INTO certainties (document_id, certainty, is_open)
    SELECT document_id, certainty, is_open
    FROM current_certainties
    WHERE document_id = (SELECT subject_id FROM runs WHERE id = NEW.run_id)
    ON CONFLICT (document_id) DO UPDATE SET certainty = excluded.certainty, is_open = excluded.is_open;
END;

CREATE TRIGGER certainties_follow_runs AFTER UPDATE OF state ON runs
WHEN NEW.state = 'COMPLETED' AND OLD.state <> 'COMPLETED' AND NEW.pipeline = 'document'
     AND EXISTS (SELECT 1 FROM certainties WHERE document_id = NEW.subject_id)
BEGIN
    UPDATE certainties
    SET (certainty, is_open) = (SELECT certainty, is_open FROM current_certainties WHERE document_id = NEW.subject_id)
    WHERE document_id = NEW.subject_id;
END;

CREATE TRIGGER certainties_follow_reviews AFTER UPDATE OF review_status ON documents
WHEN NEW.review_status <> OLD.review_status
BEGIN
    UPDATE certainties
    SET (certainty, is_open) = (SELECT certainty, is_open FROM current_certainties WHERE document_id = NEW.id)
    WHERE document_id = NEW.id;
END;

CREATE TRIGGER certainties_go_with_documents AFTER DELETE ON documents
BEGIN
    DELETE FROM certainties WHERE document_id = OLD.id;
END;
