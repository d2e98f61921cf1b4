-- Documents that a person has hidden: they leave lists, search and exports, and nothing of them is deleted. A program that does
-- not know these columns lists hidden documents as before.

-- transaction
ALTER TABLE documents ADD COLUMN IF NOT EXISTS hidden_at timestamptz;
ALTER TABLE documents ADD COLUMN IF NOT EXISTS hidden_by text;

-- no-transaction
-- Is this document hidden?
DROP INDEX CONCURRENTLY IF EXISTS documents_hidden;
CREATE INDEX CONCURRENTLY documents_hidden ON documents (id) WHERE hidden_at IS NOT NULL;
-- Which documents are hidden, newest first?
DROP INDEX CONCURRENTLY IF EXISTS documents_hidden_by_time;
CREATE INDEX CONCURRENTLY documents_hidden_by_time ON documents (created_at, id) WHERE hidden_at IS NOT NULL;
