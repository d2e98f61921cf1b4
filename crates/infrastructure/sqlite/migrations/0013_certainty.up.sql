-- How certain what was understood is, so that the least certain can be looked at first.

-- transaction
-- The least confidence among the critical fields of a version; the domain says how it is told.
ALTER TABLE interpretation_versions ADD COLUMN certainty REAL NOT NULL DEFAULT 0.0 CHECK (certainty BETWEEN 0 AND 1);

DROP TRIGGER interpretation_versions_are_final;

-- in batches of interpretation_versions.id
UPDATE interpretation_versions
SET certainty = coalesce((SELECT min(CASE WHEN field.value ->> 'origin' = 'human' THEN 1.0
                                          ELSE CAST(field.value ->> 'confidence' AS REAL) END)
                          FROM json_each(interpretation_versions.data, '$.fields') field
                          WHERE field.value ->> 'is_critical'
                            AND (field.value ->> 'origin' = 'human'
                                 OR trim(coalesce(field.value ->> 'value', '')) <> '')), 0.0)
WHERE id > ?1 AND id <= ?2;

-- transaction
-- As before, and this one does not change either.
CREATE TRIGGER interpretation_versions_are_final BEFORE UPDATE ON interpretation_versions
WHEN NOT (OLD.is_active = 1 AND NEW.is_active = 0 AND OLD.id = NEW.id AND OLD.run_id = NEW.run_id
          AND OLD.version_number = NEW.version_number AND OLD.data = NEW.data AND OLD.created_at = NEW.created_at
          AND OLD.created_by IS NEW.created_by AND OLD.pending_review = NEW.pending_review
          AND OLD.certainty = NEW.certainty)
BEGIN
    SELECT RAISE(ABORT, 'versions are append-only');
END;

-- How certain the active version of the latest completed run of each document is. It tells nothing that the versions do
-- not tell; it is there so that an index can have the documents that wait for a person, the least certain first. Not a
-- column of documents: their rows stay as they are, however far their runs come.
CREATE TABLE certainties (
    document_id BLOB    NOT NULL PRIMARY KEY CHECK (length(document_id) = 16),
    -- Null while the latest completed run has understood nothing.
    certainty   REAL,
    is_open     INTEGER NOT NULL CHECK (is_open IN (0, 1) AND (is_open = 0 OR certainty IS NOT NULL))
) WITHOUT ROWID;

-- Which documents to look at first?
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

-- in batches of documents.id
INSERT INTO certainties (document_id, certainty, is_open)
SELECT document_id, certainty, is_open FROM current_certainties
WHERE document_id > ?1 AND document_id <= ?2 AND certainty IS NOT NULL;

-- transaction
-- It follows each version, each run that completes and each person who checks, in their transactions.
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
