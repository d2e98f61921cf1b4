ALTER TABLE workers DROP COLUMN held_at_end;
ALTER TABLE runs DROP COLUMN continuation;
ALTER TABLE runs DROP COLUMN continues_run_id;
ALTER TABLE runs DROP COLUMN shared_orphanings;
