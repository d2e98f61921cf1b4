-- no-transaction
-- What failed, by step and code, told from the index alone.
DROP INDEX CONCURRENTLY IF EXISTS step_progress_failed;
CREATE INDEX CONCURRENTLY step_progress_failed ON step_progress (step_name, error_code) WHERE status = 'FAILED';
