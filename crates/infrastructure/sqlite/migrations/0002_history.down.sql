DROP VIEW document_processing_jobs;
DROP VIEW run_attempts;
DROP VIEW step_events;
DROP TRIGGER runs_take_their_events;
DROP TABLE artifacts;
DROP TABLE step_progress;
DROP TABLE events;
