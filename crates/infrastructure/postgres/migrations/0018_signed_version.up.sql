-- A document is REVIEWED while the version that a person signed is the active one of its latest completed run. The mark
-- names that version.

-- transaction
ALTER TABLE documents ADD COLUMN reviewed_version int;
ALTER TABLE documents
    ADD CONSTRAINT documents_reviewed_version_check CHECK (reviewed_version >= 1) NOT VALID;
-- Holds for every row that changes from now on, and for all when the last part has looked at them.
ALTER TABLE documents
    ADD CONSTRAINT documents_reviewed_are_signed CHECK ((review_status = 'REVIEWED') = (reviewed_version IS NOT NULL))
    NOT VALID;

-- in batches of documents.id
UPDATE documents d
SET reviewed_version = v.version_number
FROM interpretation_versions v
WHERE d.id > $1 AND d.id <= $2
  AND d.review_status = 'REVIEWED' AND v.run_id = d.reviewed_run_id AND v.is_active
  AND d.reviewed_run_id = (SELECT id FROM runs
                           WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                           ORDER BY completed_at DESC, created_at DESC, id DESC
                           LIMIT 1);

-- Marks from before that a newer run has ended, and marks of documents in which nothing was found yet.
-- in batches of documents.id
WITH ended AS (
    UPDATE documents
    SET review_status = 'IN_REVIEW', reviewed_at = NULL, reviewed_by = NULL, reviewed_run_id = NULL
    WHERE id > $1 AND id <= $2 AND review_status = 'REVIEWED' AND reviewed_version IS NULL
    RETURNING id
)
INSERT INTO events (at, event_type, pipeline, subject_id, details)
SELECT now(), 'REVIEW_REOPENED', 'document', id, '{"reason":"REPROCESSED"}' FROM ended;

-- Reads the table while others write.
-- no-transaction
ALTER TABLE documents VALIDATE CONSTRAINT documents_reviewed_version_check;
ALTER TABLE documents VALIDATE CONSTRAINT documents_reviewed_are_signed;
