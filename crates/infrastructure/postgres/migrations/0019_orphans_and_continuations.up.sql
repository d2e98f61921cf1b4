-- Runs that lost their worker together with others are not blamed for it, and a run that timed out while it read its
-- document is continued by another one.

-- How many failed claims of the run do not count towards the maximum of claims.
ALTER TABLE runs ADD COLUMN shared_orphanings int NOT NULL DEFAULT 0;
-- The run that this one continues, and how many runs timed out before it.
ALTER TABLE runs ADD COLUMN continues_run_id uuid;
ALTER TABLE runs ADD COLUMN continuation int;
-- How many runs the worker held when its lease ended.
ALTER TABLE workers ADD COLUMN held_at_end int;
