INSERT INTO figures (minute, pipeline, started, completed, failed, timed_out, requeued, step_retries, recovered,
                     refused, duration_ms, queued, oldest_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (minute, pipeline) DO UPDATE
SET started = figures.started + excluded.started,
    completed = figures.completed + excluded.completed,
    failed = figures.failed + excluded.failed,
    timed_out = figures.timed_out + excluded.timed_out,
    requeued = figures.requeued + excluded.requeued,
    step_retries = figures.step_retries + excluded.step_retries,
    recovered = figures.recovered + excluded.recovered,
    refused = figures.refused + excluded.refused,
    duration_ms = figures.duration_ms + excluded.duration_ms,
    queued = excluded.queued,
    oldest_ms = excluded.oldest_ms
