-- Only this statement changes the state of a run. It changes the run only if the run still has the fence that its
-- transition started from.
UPDATE runs
SET state = ?3, turn = ?4, fence = ?5, attempts = ?6, retry_count = ?7, queued_at = ?8, available_at = ?9,
    started_at = ?10, deadline_at = ?11, completed_at = ?12, worker_id = ?13, failure_type = ?14, error = ?15,
    shared_orphanings = ?16, held_ms = ?17, lane = ?18
WHERE id = ?1 AND fence = ?2
