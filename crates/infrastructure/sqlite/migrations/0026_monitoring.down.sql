ALTER TABLE runs DROP COLUMN requested_by;
