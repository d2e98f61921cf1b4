-- Each part reads an index of its own, so that the query never reads runs that have ended.
SELECT pipeline AS depth_pipeline, priority AS depth_priority, count(*) AS depth_queued,
       min(queued_at) AS depth_oldest_queued_at
FROM (SELECT pipeline, priority, queued_at FROM runs WHERE turn = 'READY'
      UNION ALL
      SELECT pipeline, priority, queued_at FROM runs WHERE turn = 'DELAYED'
      UNION ALL
      SELECT pipeline, priority, queued_at FROM runs WHERE turn = 'BEHIND') AS waiting
GROUP BY pipeline, priority
ORDER BY pipeline, priority DESC
