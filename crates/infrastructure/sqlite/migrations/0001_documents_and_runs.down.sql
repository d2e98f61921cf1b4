DROP TABLE runs;
DROP TABLE documents;
