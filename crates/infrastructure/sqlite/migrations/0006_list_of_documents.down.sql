DROP INDEX documents_by_time;
