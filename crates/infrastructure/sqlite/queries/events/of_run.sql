SELECT {event}
FROM events
WHERE run_id = ?2 AND id > ?1 AND (?3 IS NULL OR subject_id = ?3)
  AND event_type IN (SELECT value FROM json_each(?5))
ORDER BY id
LIMIT ?4
