SELECT {candidate}
FROM structural_candidates
WHERE id = ?1
