SELECT count(*) AS counted
FROM (SELECT 1 FROM document_confidence
      WHERE is_open = 1
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = document_id AND h.hidden_at IS NOT NULL)
      LIMIT ?1) AS counted
