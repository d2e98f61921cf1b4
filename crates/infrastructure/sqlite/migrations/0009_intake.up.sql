-- Taking documents in more than once, and finding them again by where they stand.

-- transaction
-- What was asked for under which key, so that asking again makes nothing new. Kept for a while.
CREATE TABLE idempotency_keys (
    scope       TEXT    NOT NULL,
    key         TEXT    NOT NULL,
    place       INTEGER NOT NULL CHECK (place >= 0),
    fingerprint BLOB    NOT NULL CHECK (length(fingerprint) = 32),
    document_id BLOB    NOT NULL CHECK (length(document_id) = 16),
    run_id      BLOB,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (scope, key, place)
) WITHOUT ROWID;

-- Which keys have had their time?
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
-- Which keys go with a document that is purged?
CREATE INDEX idempotency_keys_by_document ON idempotency_keys (document_id);

-- Where in the list its document stands, on the latest run of a document and on no other. It tells nothing that the
-- runs do not tell; it is there so that an index can have the latest runs alone.
ALTER TABLE runs ADD COLUMN listed_at INTEGER;

-- As before, but that a later run takes the place in the list.
DROP TRIGGER runs_terminal_is_final;
CREATE TRIGGER runs_terminal_is_final BEFORE UPDATE OF
    id, pipeline, subject_id, state, turn, priority, fence, attempts, retry_count, created_at, queued_at, available_at,
    started_at, deadline_at, completed_at, worker_id, correlation_id, failure_type, error, language
ON runs
WHEN OLD.state IN ('COMPLETED', 'FAILED', 'TIMED_OUT')
    AND NOT (OLD.state = 'FAILED' AND NEW.state = 'QUEUED' AND OLD.pipeline <> 'document')
BEGIN
    SELECT RAISE(ABORT, 'a run that has ended does not change');
END;

-- in batches of documents.id
UPDATE runs
SET listed_at = (SELECT created_at FROM documents WHERE id = runs.subject_id)
WHERE id IN (SELECT (SELECT id FROM runs
                     WHERE subject_id = d.id AND pipeline = 'document'
                     ORDER BY created_at DESC, id DESC
                     LIMIT 1)
             FROM documents d
             WHERE d.id > ?1 AND d.id <= ?2);

-- transaction
-- Which documents stand so, newest first?
CREATE INDEX runs_listed ON runs (state, listed_at, subject_id) WHERE listed_at IS NOT NULL;
-- Which documents were checked, newest first?
CREATE INDEX documents_by_review ON documents (review_status, created_at, id);
-- Which documents have the same content?
CREATE INDEX documents_by_content ON documents (content_hash, created_at, id);
