SELECT {document_overview r d}
FROM documents d
LEFT JOIN runs r ON r.id = (SELECT id FROM runs
                            WHERE subject_id = d.id AND pipeline = 'document'
                            ORDER BY created_at DESC, id DESC
                            LIMIT 1)
WHERE d.id = ?1
