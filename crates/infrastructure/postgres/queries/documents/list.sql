-- The inner query reads only indexes, and the outer query looks up only the documents on the page. One of the five
-- branches applies, or two branches for the two states QUEUED and RUNNING. A run counts only if it is the latest of
-- its document, because the index may still hold an earlier run. Hidden documents are looked up in the small index
-- that holds only them.
SELECT {document_overview r d}
FROM ((SELECT created_at AS listed_at, id
       FROM documents
       WHERE $5 AND (created_at, id) < ($1, $2)
         AND (SELECT h.id FROM documents h WHERE h.id = documents.id AND h.hidden_at IS NOT NULL) IS NULL
       ORDER BY created_at DESC, id DESC
       LIMIT $3::bigint + $4::bigint)
      UNION ALL
      (SELECT r.listed_at, r.subject_id
       FROM runs r
       WHERE r.state = $6::text AND r.listed_at IS NOT NULL AND (r.listed_at, r.subject_id) < ($1, $2)
         AND NOT EXISTS (SELECT 1 FROM runs later
                         WHERE later.subject_id = r.subject_id AND later.pipeline = 'document'
                           AND (later.created_at, later.id) > (r.created_at, r.id))
         AND (SELECT h.id FROM documents h WHERE h.id = r.subject_id AND h.hidden_at IS NOT NULL) IS NULL
       ORDER BY r.listed_at DESC, r.subject_id DESC
       LIMIT $3::bigint + $4::bigint)
      UNION ALL
      (SELECT r.listed_at, r.subject_id
       FROM runs r
       WHERE r.state = $7::text AND r.listed_at IS NOT NULL AND (r.listed_at, r.subject_id) < ($1, $2)
         AND NOT EXISTS (SELECT 1 FROM runs later
                         WHERE later.subject_id = r.subject_id AND later.pipeline = 'document'
                           AND (later.created_at, later.id) > (r.created_at, r.id))
         AND (SELECT h.id FROM documents h WHERE h.id = r.subject_id AND h.hidden_at IS NOT NULL) IS NULL
       ORDER BY r.listed_at DESC, r.subject_id DESC
       LIMIT $3::bigint + $4::bigint)
      UNION ALL
      (SELECT created_at, id
       FROM documents
       -- Makes the planner walk the index by review status. The index by time may hold few such documents.
       WHERE review_status >= $8::text AND (review_status, created_at, id) < ($8::text, $1, $2)
         AND (SELECT h.id FROM documents h WHERE h.id = documents.id AND h.hidden_at IS NOT NULL) IS NULL
       ORDER BY review_status DESC, created_at DESC, id DESC
       LIMIT $3::bigint + $4::bigint)
      UNION ALL
      (SELECT created_at, id
       FROM documents
       WHERE $9 AND hidden_at IS NOT NULL AND (created_at, id) < ($1, $2)
       ORDER BY created_at DESC, id DESC
       LIMIT $3::bigint + $4::bigint)
      ORDER BY 1 DESC, 2 DESC
      LIMIT $3 OFFSET $4) part
JOIN documents d ON d.id = part.id
LEFT JOIN LATERAL (SELECT * FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document'
                   ORDER BY created_at DESC, id DESC
                   LIMIT 1) r ON true
ORDER BY d.created_at DESC, d.id DESC
