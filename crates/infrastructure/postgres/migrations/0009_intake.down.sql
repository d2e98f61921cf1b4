-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS documents_by_content;
DROP INDEX CONCURRENTLY IF EXISTS documents_by_review;
DROP INDEX CONCURRENTLY IF EXISTS runs_listed;
CREATE OR REPLACE TRIGGER runs_terminal_is_final BEFORE UPDATE ON runs
FOR EACH ROW
WHEN (OLD.state IN ('COMPLETED', 'FAILED', 'TIMED_OUT')
      AND NOT (OLD.state = 'FAILED' AND NEW.state = 'QUEUED' AND OLD.pipeline <> 'document'))
EXECUTE FUNCTION refuse('a run that has ended does not change');
ALTER TABLE runs DROP COLUMN IF EXISTS listed_at;
DROP TABLE IF EXISTS idempotency_keys;
