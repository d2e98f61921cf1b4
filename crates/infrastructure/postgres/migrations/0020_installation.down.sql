DROP TRIGGER runs_stay_purged ON runs;
DROP TRIGGER documents_stay_purged ON documents;
DROP FUNCTION refuse_purged_run();
DROP FUNCTION refuse_purged_document();
DROP TABLE purged_subjects;
DROP TABLE installation;
