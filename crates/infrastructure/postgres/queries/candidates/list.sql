SELECT {candidate}
FROM structural_candidates
WHERE ($1::text IS NULL OR status = $1) AND ($2::text IS NULL OR change_type = $2)
  AND ($3::boolean IS NULL OR is_critical = $3)
ORDER BY occurrence_count DESC, id
LIMIT $4 OFFSET $5
