-- Returns only the newest samples.
SELECT {candidate_sample}
FROM structural_edits
WHERE candidate_id = ?1
ORDER BY id DESC
LIMIT 10
