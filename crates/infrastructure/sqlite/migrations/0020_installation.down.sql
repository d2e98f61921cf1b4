DROP TRIGGER runs_stay_purged;
DROP TRIGGER documents_stay_purged;
DROP TABLE purged_subjects;
DROP TABLE installation;
