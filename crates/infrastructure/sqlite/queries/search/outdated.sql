-- Documents without an entry, and those whose entry is not that of their latest completed run or, if ?3, lacks its text.
-- With ?4 also those whose vectors are of another model.
SELECT document_id, run_id
FROM (SELECT d.id AS document_id, s.number, s.run_id AS indexed_run_id, s.has_text, s.model, s.signature,
             (SELECT id FROM runs
              WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
              ORDER BY completed_at DESC, created_at DESC, id DESC
              LIMIT 1) AS run_id
      FROM documents d
      LEFT JOIN search_documents s ON s.document_id = d.id
      WHERE d.id > ?1)
WHERE number IS NULL OR run_id IS NOT indexed_run_id OR (?3 AND run_id IS NOT NULL AND (has_text = 0 OR signature IS NULL))
   OR (?4 IS NOT NULL AND has_text = 1 AND model IS NOT ?4)
ORDER BY document_id
LIMIT ?2
