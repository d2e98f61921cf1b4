-- Only if it still stands where it was when it was decided.
UPDATE structural_candidates
SET status = ?3, is_critical = is_critical OR ?4, updated_at = ?5
WHERE id = ?1 AND status = ?2
