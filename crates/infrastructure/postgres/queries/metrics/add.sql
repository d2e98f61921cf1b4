INSERT INTO minute_metrics (minute, pipeline, started, completed, failed, timed_out, requeued, step_retries, recovered,
                     refused, duration_ms, queued, oldest_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (minute, pipeline) DO UPDATE
SET started = minute_metrics.started + excluded.started,
    completed = minute_metrics.completed + excluded.completed,
    failed = minute_metrics.failed + excluded.failed,
    timed_out = minute_metrics.timed_out + excluded.timed_out,
    requeued = minute_metrics.requeued + excluded.requeued,
    step_retries = minute_metrics.step_retries + excluded.step_retries,
    recovered = minute_metrics.recovered + excluded.recovered,
    refused = minute_metrics.refused + excluded.refused,
    duration_ms = minute_metrics.duration_ms + excluded.duration_ms,
    queued = excluded.queued,
    oldest_ms = excluded.oldest_ms
