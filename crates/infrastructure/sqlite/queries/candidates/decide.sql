-- Updates the candidate only if its status has not changed since the decision was made.
UPDATE structural_candidates
SET status = ?3, is_critical = is_critical OR ?4, updated_at = ?5
WHERE id = ?1 AND status = ?2
