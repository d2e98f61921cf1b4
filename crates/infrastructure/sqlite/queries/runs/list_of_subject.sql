SELECT {run}
FROM runs
WHERE subject_id = ?3 AND (?1 IS NULL OR pipeline = ?1) AND (?2 IS NULL OR state = ?2)
  AND (?4 IS NULL OR id < ?4)
ORDER BY id DESC
LIMIT ?5
