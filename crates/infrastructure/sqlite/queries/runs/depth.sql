SELECT pipeline AS depth_pipeline, priority AS depth_priority, count(*) AS depth_queued,
       min(queued_at) AS depth_oldest_queued_at
FROM runs
WHERE turn IN ('READY', 'DELAYED', 'BEHIND')
GROUP BY pipeline, priority
ORDER BY pipeline, priority DESC
