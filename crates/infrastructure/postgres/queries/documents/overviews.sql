SELECT {document_overview r d}
FROM documents d
LEFT JOIN LATERAL (SELECT * FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document'
                   ORDER BY created_at DESC, id DESC
                   LIMIT 1) r ON true
WHERE d.id = ANY ($1)
