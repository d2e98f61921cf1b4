-- The inner query reads only an index. That index holds only the documents that wait for a review.
SELECT {document_overview r d}
FROM (SELECT confidence, document_id
      FROM document_confidence
      WHERE is_open = 1 AND (confidence, document_id) > (?1, ?2)
        AND NOT EXISTS (SELECT 1 FROM documents h INDEXED BY documents_hidden
                      WHERE h.id = document_id AND h.hidden_at IS NOT NULL)
      ORDER BY confidence, document_id
      LIMIT ?3 OFFSET ?4) part
CROSS JOIN documents d ON d.id = part.document_id
LEFT JOIN runs r ON r.id = (SELECT id FROM runs
                            WHERE subject_id = d.id AND pipeline = 'document'
                            ORDER BY created_at DESC, id DESC
                            LIMIT 1)
ORDER BY part.confidence, part.document_id
