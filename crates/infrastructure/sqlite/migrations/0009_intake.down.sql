DROP INDEX documents_by_content;
DROP INDEX documents_by_review;
DROP INDEX runs_listed;
DROP TRIGGER runs_terminal_is_final;
ALTER TABLE runs DROP COLUMN listed_at;
CREATE TRIGGER runs_terminal_is_final BEFORE UPDATE ON runs
WHEN OLD.state IN ('COMPLETED', 'FAILED', 'TIMED_OUT')
    AND NOT (OLD.state = 'FAILED' AND NEW.state = 'QUEUED' AND OLD.pipeline <> 'document')
BEGIN
    SELECT RAISE(ABORT, 'a run that has ended does not change');
END;
DROP TABLE idempotency_keys;
