-- The newest few.
SELECT document_id, evidence
FROM structural_edits
WHERE candidate_id = ?1
ORDER BY id DESC
LIMIT 10
