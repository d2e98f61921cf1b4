SELECT {run}
FROM runs
-- ?3 is the subject. Another query lists the runs of a subject.
WHERE (?1 IS NULL OR pipeline = ?1) AND (?2 IS NULL OR state = ?2) AND ?3 IS NULL
  AND (?4 IS NULL OR id < ?4)
ORDER BY id DESC
LIMIT ?5
