SELECT {run}
FROM runs
-- $3 is the subject. Another query lists the runs of a subject.
WHERE ($1::text IS NULL OR pipeline = $1) AND ($2::text IS NULL OR state = $2) AND $3::uuid IS NULL
  AND ($4::uuid IS NULL OR id < $4)
ORDER BY id DESC
LIMIT $5
