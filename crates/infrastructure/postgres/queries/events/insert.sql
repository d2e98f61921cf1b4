-- This is the last statement of its transaction: no other transaction can append an event before the commit. The
-- same statement notifies the workers that wait for work, once for all events, because PostgreSQL also serializes
-- the commits that notify.
WITH appended AS (
    INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence, worker_id, step_name, attempt,
                        started_at, error_code, details)
    SELECT u.at, u.event_type, u.pipeline, u.subject_id, u.run_id, u.fence, u.worker_id, u.step_name, u.attempt,
           u.started_at, u.error_code, u.details::jsonb
    FROM unnest($1::timestamptz[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::int[], $7::uuid[],
                $8::text[], $9::int[], $10::timestamptz[], $11::text[], $12::text[])
         AS u (at, event_type, pipeline, subject_id, run_id, fence, worker_id, step_name, attempt, started_at,
               error_code, details)
)
SELECT pg_notify(left('quire_runs_' || current_schema(), 63), '') WHERE $13
