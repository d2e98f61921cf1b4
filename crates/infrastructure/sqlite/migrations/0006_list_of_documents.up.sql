-- Which documents are the newest?
CREATE INDEX documents_by_time ON documents (created_at, id);
