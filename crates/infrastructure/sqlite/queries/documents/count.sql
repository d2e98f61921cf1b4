-- As in list.sql, one branch applies, or two branches for the two states QUEUED and RUNNING.
SELECT count(*) AS counted
FROM (SELECT 1 FROM documents WHERE ?2 AND created_at IS NOT NULL
      UNION ALL
      SELECT 1 FROM runs WHERE state = ?3 AND listed_at IS NOT NULL
      UNION ALL
      SELECT 1 FROM runs WHERE state = ?4 AND listed_at IS NOT NULL
      UNION ALL
      SELECT 1 FROM documents WHERE review_status = ?5
      LIMIT ?1)
