SELECT pipeline, priority, count(*), min(queued_at)
FROM runs
WHERE turn IN ('READY', 'DELAYED', 'BEHIND')
GROUP BY pipeline, priority
ORDER BY pipeline, priority DESC
