SELECT count(*) AS counted
FROM (SELECT 1 FROM document_confidence
      WHERE is_open
        AND (SELECT h.id FROM documents h WHERE h.id = document_id AND h.hidden_at IS NOT NULL) IS NULL
      LIMIT $1) AS counted
