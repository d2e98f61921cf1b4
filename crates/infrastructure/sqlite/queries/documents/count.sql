-- As in list.sql, one branch applies, or two branches for the two states QUEUED and RUNNING.
SELECT count(*) AS counted
FROM (SELECT 1 FROM documents WHERE ?2 AND created_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = documents.id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT 1 FROM runs WHERE state = ?3 AND listed_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = subject_id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT 1 FROM runs WHERE state = ?4 AND listed_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = subject_id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT 1 FROM documents WHERE review_status = ?5
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = documents.id AND h.hidden_at IS NOT NULL)
      UNION ALL
      SELECT 1 FROM documents WHERE ?6 AND hidden_at IS NOT NULL
      LIMIT ?1)
