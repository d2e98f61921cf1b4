-- What failed, by step and code, told from the index alone.
DROP INDEX step_progress_failed;
CREATE INDEX step_progress_failed ON step_progress (step_name, error_code) WHERE status = 'FAILED';
