-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS runs_by_subject;
CREATE INDEX CONCURRENTLY runs_by_subject ON runs (subject_id, created_at);
DROP INDEX CONCURRENTLY IF EXISTS runs_by_subject_and_time;
DROP INDEX CONCURRENTLY IF EXISTS documents_by_time;
