-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS step_progress_failed;
CREATE INDEX CONCURRENTLY step_progress_failed ON step_progress (step_name) WHERE status = 'FAILED';
