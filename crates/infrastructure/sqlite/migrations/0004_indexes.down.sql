DROP INDEX step_progress_failed;
DROP INDEX runs_by_subject;
DROP INDEX runs_held;
DROP INDEX runs_behind;
DROP INDEX runs_delayed;
DROP INDEX runs_ready;
