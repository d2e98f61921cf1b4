-- As in list.sql, one branch applies, or two branches for the two states QUEUED and RUNNING. Only a run in one of
-- these two states can still have the place in the list that belongs to a later run. A run that has ended has given
-- up that place.
SELECT count(*) AS counted
FROM ((SELECT 1 FROM documents
       WHERE $2 AND (SELECT h.id FROM documents h WHERE h.id = documents.id AND h.hidden_at IS NOT NULL) IS NULL
       ORDER BY created_at LIMIT $1)
      UNION ALL
      (SELECT 1
       FROM runs r
       WHERE r.state = $3::text AND r.listed_at IS NOT NULL
         AND ($3 NOT IN ('QUEUED', 'RUNNING')
              OR NOT EXISTS (SELECT 1 FROM runs later
                             WHERE later.subject_id = r.subject_id AND later.pipeline = 'document'
                               AND (later.created_at, later.id) > (r.created_at, r.id)))
         AND (SELECT h.id FROM documents h WHERE h.id = r.subject_id AND h.hidden_at IS NOT NULL) IS NULL
       LIMIT $1)
      UNION ALL
      (SELECT 1
       FROM runs r
       WHERE r.state = $4::text AND r.listed_at IS NOT NULL
         AND ($4 NOT IN ('QUEUED', 'RUNNING')
              OR NOT EXISTS (SELECT 1 FROM runs later
                             WHERE later.subject_id = r.subject_id AND later.pipeline = 'document'
                               AND (later.created_at, later.id) > (r.created_at, r.id)))
         AND (SELECT h.id FROM documents h WHERE h.id = r.subject_id AND h.hidden_at IS NOT NULL) IS NULL
       LIMIT $1)
      UNION ALL
      (SELECT 1 FROM documents
       WHERE review_status = $5::text AND (SELECT h.id FROM documents h WHERE h.id = documents.id AND h.hidden_at IS NOT NULL) IS NULL
       LIMIT $1)
      UNION ALL
      (SELECT 1 FROM documents WHERE $6 AND hidden_at IS NOT NULL LIMIT $1)
      LIMIT $1) AS counted
