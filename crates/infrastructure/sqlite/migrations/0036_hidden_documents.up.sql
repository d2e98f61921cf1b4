-- Documents that a person has hidden: they leave lists, search and exports, and nothing of them is deleted. A program that does
-- not know these columns lists hidden documents as before.
ALTER TABLE documents ADD COLUMN hidden_at INTEGER;
ALTER TABLE documents ADD COLUMN hidden_by TEXT;

-- Is this document hidden?
CREATE INDEX documents_hidden ON documents (id) WHERE hidden_at IS NOT NULL;
-- Which documents are hidden, newest first?
CREATE INDEX documents_hidden_by_time ON documents (created_at, id) WHERE hidden_at IS NOT NULL;
