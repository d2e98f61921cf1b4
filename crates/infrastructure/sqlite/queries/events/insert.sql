INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence, worker_id, step_name, attempt, started_at,
                    error_code, details)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
