-- no-transaction
-- Each serves one question, and holds only the rows that can answer it. They are built while others write, which
-- no transaction allows; what an interrupted build left behind is dropped first.

-- Which run next?
DROP INDEX CONCURRENTLY IF EXISTS runs_ready;
CREATE INDEX CONCURRENTLY runs_ready ON runs (pipeline, priority DESC, queued_at, id) WHERE turn = 'READY';
-- Whose delay has passed?
DROP INDEX CONCURRENTLY IF EXISTS runs_delayed;
CREATE INDEX CONCURRENTLY runs_delayed ON runs (available_at) WHERE turn = 'DELAYED';
-- Who follows in this subject?
DROP INDEX CONCURRENTLY IF EXISTS runs_behind;
CREATE INDEX CONCURRENTLY runs_behind ON runs (subject_id, pipeline, created_at, id) WHERE turn = 'BEHIND';
-- Who is running, and until when?
DROP INDEX CONCURRENTLY IF EXISTS runs_held;
CREATE INDEX CONCURRENTLY runs_held ON runs (deadline_at) WHERE turn = 'HELD';
-- What happened to this subject?
DROP INDEX CONCURRENTLY IF EXISTS runs_by_subject;
CREATE INDEX CONCURRENTLY runs_by_subject ON runs (subject_id, created_at);
-- Which steps fail?
DROP INDEX CONCURRENTLY IF EXISTS step_progress_failed;
CREATE INDEX CONCURRENTLY step_progress_failed ON step_progress (step_name) WHERE status = 'FAILED';
