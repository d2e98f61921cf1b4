-- As in list.sql, one of the ways applies, or two for the two states in which a run is not over.
SELECT count(*) AS counted
FROM (SELECT 1 FROM documents WHERE ?2 AND created_at IS NOT NULL
      UNION ALL
      SELECT 1 FROM runs WHERE state = ?3 AND listed_at IS NOT NULL
      UNION ALL
      SELECT 1 FROM runs WHERE state = ?4 AND listed_at IS NOT NULL
      UNION ALL
      SELECT 1 FROM documents WHERE review_status = ?5
      LIMIT ?1)
