-- The part is found in an index alone, which has the documents that wait for a person and no others.
SELECT {document_overview r d}
FROM (SELECT certainty, document_id
      FROM certainties
      WHERE is_open AND (certainty, document_id) > ($1, $2)
      ORDER BY certainty, document_id
      LIMIT $3 OFFSET $4) part
JOIN documents d ON d.id = part.document_id
LEFT JOIN LATERAL (SELECT * FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document'
                   ORDER BY created_at DESC, id DESC
                   LIMIT 1) r ON true
ORDER BY part.certainty, part.document_id
