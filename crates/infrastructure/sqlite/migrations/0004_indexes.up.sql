-- Each serves one question, and holds only the rows that can answer it.

-- Which run next?
CREATE INDEX runs_ready ON runs (pipeline, priority DESC, queued_at, id) WHERE turn = 'READY';
-- Whose delay has passed?
CREATE INDEX runs_delayed ON runs (available_at) WHERE turn = 'DELAYED';
-- Who follows in this subject?
CREATE INDEX runs_behind ON runs (subject_id, pipeline, created_at, id) WHERE turn = 'BEHIND';
-- Who is running, and until when?
CREATE INDEX runs_held ON runs (deadline_at) WHERE turn = 'HELD';
-- What happened to this subject?
CREATE INDEX runs_by_subject ON runs (subject_id, created_at);
-- Which steps fail?
CREATE INDEX step_progress_failed ON step_progress (step_name) WHERE status = 'FAILED';
