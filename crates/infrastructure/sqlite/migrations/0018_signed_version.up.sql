-- A document is REVIEWED while the version that a person signed is the active one of its latest completed run. The mark
-- names that version.

-- transaction
ALTER TABLE documents ADD COLUMN reviewed_version INTEGER CHECK (reviewed_version >= 1);

-- in batches of documents.id
UPDATE documents
SET reviewed_version = (SELECT version_number FROM interpretation_versions
                        WHERE run_id = documents.reviewed_run_id AND is_active = 1)
WHERE id > ?1 AND id <= ?2 AND review_status = 'REVIEWED'
  AND reviewed_run_id = (SELECT id FROM runs
                         WHERE subject_id = documents.id AND pipeline = 'document' AND state = 'COMPLETED'
                         ORDER BY completed_at DESC, created_at DESC, id DESC
                         LIMIT 1);

-- Marks from before that a newer run has ended, and marks of documents in which nothing was found yet.
-- in batches of documents.id
INSERT INTO events (at, event_type, pipeline, subject_id, details)
SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER), 'REVIEW_REOPENED', 'document', id, '{"reason":"REPROCESSED"}'
FROM documents
WHERE id > ?1 AND id <= ?2 AND review_status = 'REVIEWED' AND reviewed_version IS NULL;

-- in batches of documents.id
UPDATE documents
SET review_status = 'IN_REVIEW', reviewed_at = NULL, reviewed_by = NULL, reviewed_run_id = NULL
WHERE id > ?1 AND id <= ?2 AND review_status = 'REVIEWED' AND reviewed_version IS NULL;

-- transaction

CREATE TRIGGER documents_reviewed_are_signed BEFORE UPDATE OF review_status, reviewed_version ON documents
WHEN (NEW.review_status = 'REVIEWED') <> (NEW.reviewed_version IS NOT NULL)
BEGIN
    SELECT RAISE(ABORT, 'a reviewed document names the version that was reviewed');
END;
