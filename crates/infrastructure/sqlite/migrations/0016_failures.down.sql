DROP INDEX step_progress_failed;
CREATE INDEX step_progress_failed ON step_progress (step_name) WHERE status = 'FAILED';
