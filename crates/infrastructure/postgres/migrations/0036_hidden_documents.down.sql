-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS documents_hidden_by_time;
DROP INDEX CONCURRENTLY IF EXISTS documents_hidden;
ALTER TABLE documents DROP COLUMN IF EXISTS hidden_by;
ALTER TABLE documents DROP COLUMN IF EXISTS hidden_at;
