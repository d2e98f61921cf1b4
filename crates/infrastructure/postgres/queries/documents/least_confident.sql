-- The inner query reads only an index. That index holds only the documents that wait for a review.
SELECT {document_overview r d}
FROM (SELECT confidence, document_id
      FROM document_confidence
      WHERE is_open AND (confidence, document_id) > ($1, $2)
        AND (SELECT h.id FROM documents h WHERE h.id = document_id AND h.hidden_at IS NOT NULL) IS NULL
      ORDER BY confidence, document_id
      LIMIT $3 OFFSET $4) part
JOIN documents d ON d.id = part.document_id
LEFT JOIN LATERAL (SELECT * FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document'
                   ORDER BY created_at DESC, id DESC
                   LIMIT 1) r ON true
ORDER BY part.confidence, part.document_id
