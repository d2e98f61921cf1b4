-- Taking documents in more than once, and finding them again by where they stand. Indexes are built while others
-- write; each statement can be run again.

-- transaction
-- What was asked for under which key, so that asking again makes nothing new. Kept for a while.
CREATE TABLE IF NOT EXISTS idempotency_keys (
    scope       text        NOT NULL,
    key         text        NOT NULL,
    place       int         NOT NULL CHECK (place >= 0),
    fingerprint bytea       NOT NULL CHECK (length(fingerprint) = 32),
    document_id uuid        NOT NULL,
    run_id      uuid,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (scope, key, place)
);

-- Which keys have had their time?
CREATE INDEX IF NOT EXISTS idempotency_keys_by_time ON idempotency_keys (created_at);
-- Which keys go with a document that is purged?
CREATE INDEX IF NOT EXISTS idempotency_keys_by_document ON idempotency_keys (document_id);

-- Where in the list its document stands, on the latest run of a document. It tells nothing that the runs do not tell;
-- it is there so that an index can have the latest runs alone. An older run may keep it for a while when two were
-- asked for at the same moment, so that whoever reads by it makes sure.
ALTER TABLE runs ADD COLUMN IF NOT EXISTS listed_at timestamptz;

-- As before, but that a later run takes the place in the list.
CREATE OR REPLACE TRIGGER runs_terminal_is_final BEFORE UPDATE ON runs
FOR EACH ROW
WHEN (OLD.state IN ('COMPLETED', 'FAILED', 'TIMED_OUT')
      AND NOT (OLD.state = 'FAILED' AND NEW.state = 'QUEUED' AND OLD.pipeline <> 'document')
      AND to_jsonb(OLD) - 'listed_at' IS DISTINCT FROM to_jsonb(NEW) - 'listed_at')
EXECUTE FUNCTION refuse('a run that has ended does not change');

-- in batches of documents.id
UPDATE runs
SET listed_at = d.created_at
FROM documents d
CROSS JOIN LATERAL (SELECT id FROM runs
                    WHERE subject_id = d.id AND pipeline = 'document'
                    ORDER BY created_at DESC, id DESC
                    LIMIT 1) AS latest
WHERE d.id > $1 AND d.id <= $2 AND runs.id = latest.id AND runs.listed_at IS NULL;

-- no-transaction
-- Which documents stand so, newest first?
DROP INDEX CONCURRENTLY IF EXISTS runs_listed;
CREATE INDEX CONCURRENTLY runs_listed ON runs (state, listed_at, subject_id, created_at, id)
    WHERE listed_at IS NOT NULL;
-- Which documents were checked, newest first?
DROP INDEX CONCURRENTLY IF EXISTS documents_by_review;
CREATE INDEX CONCURRENTLY documents_by_review ON documents (review_status, created_at, id);
-- Which documents have the same content?
DROP INDEX CONCURRENTLY IF EXISTS documents_by_content;
CREATE INDEX CONCURRENTLY documents_by_content ON documents (content_hash, created_at, id);
