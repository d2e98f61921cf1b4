DROP TABLE runs;
DROP TABLE documents;
DROP FUNCTION refuse();
