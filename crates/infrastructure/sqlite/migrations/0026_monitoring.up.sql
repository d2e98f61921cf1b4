-- Who asked for a run.
ALTER TABLE runs ADD COLUMN requested_by TEXT;
