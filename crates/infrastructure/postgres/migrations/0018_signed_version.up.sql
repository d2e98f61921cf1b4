-- A document is REVIEWED while the version that a person signed is the active one of its latest completed run. The mark
-- names that version.

ALTER TABLE documents ADD COLUMN reviewed_version int CHECK (reviewed_version >= 1);

UPDATE documents d
SET reviewed_version = v.version_number
FROM interpretation_versions v
WHERE d.review_status = 'REVIEWED' AND v.run_id = d.reviewed_run_id AND v.is_active
  AND d.reviewed_run_id = (SELECT id FROM runs
                           WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                           ORDER BY completed_at DESC, created_at DESC, id DESC
                           LIMIT 1);

-- Marks from before that a newer run has ended, and marks of documents in which nothing was found yet.
CREATE TEMPORARY TABLE ended_reviews ON COMMIT DROP AS
SELECT id FROM documents WHERE review_status = 'REVIEWED' AND reviewed_version IS NULL;

UPDATE documents
SET review_status = 'IN_REVIEW', reviewed_at = NULL, reviewed_by = NULL, reviewed_run_id = NULL
WHERE id IN (SELECT id FROM ended_reviews);

INSERT INTO events (at, event_type, pipeline, subject_id, details)
SELECT now(), 'REVIEW_REOPENED', 'document', id, '{"reason":"REPROCESSED"}' FROM ended_reviews;

ALTER TABLE documents
    ADD CONSTRAINT documents_reviewed_are_signed CHECK ((review_status = 'REVIEWED') = (reviewed_version IS NOT NULL));
