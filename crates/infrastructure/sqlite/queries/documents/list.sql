-- The inner query reads only indexes, and the outer query looks up only the documents on the page. One of the five
-- branches applies, or two branches for the two states QUEUED and RUNNING. Hidden documents are looked up in the small index
-- that holds only them.
SELECT {document_overview r d}
FROM (SELECT created_at AS listed_at, id
      FROM documents
      WHERE ?5 AND (created_at, id) < (?1, ?2)
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = documents.id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT listed_at, subject_id
      FROM runs
      WHERE state = ?6 AND listed_at IS NOT NULL AND (listed_at, subject_id) < (?1, ?2)
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = subject_id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT listed_at, subject_id
      FROM runs
      WHERE state = ?7 AND listed_at IS NOT NULL AND (listed_at, subject_id) < (?1, ?2)
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = subject_id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT created_at, id
      FROM documents
      WHERE review_status = ?8 AND (created_at, id) < (?1, ?2)
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = documents.id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT created_at, id
      FROM documents
      WHERE ?9 AND hidden_at IS NOT NULL AND (created_at, id) < (?1, ?2)
      ORDER BY 1 DESC, 2 DESC
      LIMIT ?3 OFFSET ?4) part
CROSS JOIN documents d ON d.id = part.id
LEFT JOIN runs r ON r.id = (SELECT id FROM runs
                            WHERE subject_id = d.id AND pipeline = 'document'
                            ORDER BY created_at DESC, id DESC
                            LIMIT 1)
ORDER BY d.created_at DESC, d.id DESC
