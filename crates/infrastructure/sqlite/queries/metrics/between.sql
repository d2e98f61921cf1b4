SELECT minute, pipeline, started, completed, failed, timed_out, requeued, step_retries, recovered, refused,
       duration_ms, queued, oldest_ms
FROM figures
WHERE minute >= ?1 AND minute < ?2
ORDER BY minute, pipeline
