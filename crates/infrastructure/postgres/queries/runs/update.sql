-- Only this statement changes the state of runs. It changes a run only if the run still has the fence that its
-- transition started from. If a document has a later run, a run that ends gives up its place in the list of
-- documents.
UPDATE runs
SET state = u.state, turn = u.turn, fence = u.fence, attempts = u.attempts, retry_count = u.retry_count,
    shared_orphanings = u.shared_orphanings, queued_at = u.queued_at, available_at = u.available_at, started_at = u.started_at,
    deadline_at = u.deadline_at, held_ms = u.held_ms, lane = u.lane, completed_at = u.completed_at, worker_id = u.worker_id,
    failure_type = u.failure_type, error = u.error::jsonb,
    listed_at = CASE
        WHEN u.turn IS NOT NULL OR runs.listed_at IS NULL THEN runs.listed_at
        WHEN EXISTS (SELECT 1 FROM runs later
                     WHERE later.subject_id = runs.subject_id AND later.pipeline = 'document'
                       AND (later.created_at, later.id) > (runs.created_at, runs.id)) THEN NULL
        ELSE runs.listed_at END
FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::int[], $6::int[], $7::int[], $8::timestamptz[],
            $9::timestamptz[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[], $13::uuid[],
            $14::text[], $15::text[], $16::int[], $17::bigint[], $18::text[])
     AS u (id, from_fence, state, turn, fence, attempts, retry_count, queued_at, available_at, started_at,
           deadline_at, completed_at, worker_id, failure_type, error, shared_orphanings, held_ms, lane)
WHERE runs.id = u.id AND runs.fence = u.from_fence
RETURNING runs.id AS run_id
