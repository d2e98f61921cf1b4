ALTER TABLE documents DROP CONSTRAINT documents_reviewed_are_signed;
ALTER TABLE documents DROP COLUMN reviewed_version;
