-- Documents without an entry, and those whose entry is not that of their latest completed run or, if $3, lacks
-- its text. With $4 also those whose vectors are of another model.
SELECT d.id AS document_id, r.id AS run_id
FROM documents d
LEFT JOIN search_documents s ON s.document_id = d.id
LEFT JOIN LATERAL (SELECT id FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                   ORDER BY completed_at DESC, created_at DESC, id DESC
                   LIMIT 1) r ON true
WHERE d.id > $1
  AND (s.number IS NULL OR r.id IS DISTINCT FROM s.run_id OR ($3 AND r.id IS NOT NULL AND (NOT s.has_text OR s.signature IS NULL))
       OR ($4::text IS NOT NULL AND s.has_text AND s.model IS DISTINCT FROM $4))
ORDER BY d.id
LIMIT $2
