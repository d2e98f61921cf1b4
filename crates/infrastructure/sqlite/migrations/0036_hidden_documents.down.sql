DROP INDEX documents_hidden_by_time;
DROP INDEX documents_hidden;
ALTER TABLE documents DROP COLUMN hidden_by;
ALTER TABLE documents DROP COLUMN hidden_at;
