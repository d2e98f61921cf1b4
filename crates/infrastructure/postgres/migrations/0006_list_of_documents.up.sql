-- no-transaction
-- Built while others write; what an interrupted build left behind is dropped first.

-- Which documents are the newest?
DROP INDEX CONCURRENTLY IF EXISTS documents_by_time;
CREATE INDEX CONCURRENTLY documents_by_time ON documents (created_at, id);
-- Which run of this subject is the newest, even of two created at the same moment?
DROP INDEX CONCURRENTLY IF EXISTS runs_by_subject_and_time;
CREATE INDEX CONCURRENTLY runs_by_subject_and_time ON runs (subject_id, created_at, id);
DROP INDEX CONCURRENTLY IF EXISTS runs_by_subject;
