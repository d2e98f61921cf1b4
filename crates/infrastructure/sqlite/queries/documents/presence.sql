SELECT EXISTS (SELECT 1 FROM documents WHERE id = ?1)
       OR EXISTS (SELECT 1 FROM runs WHERE subject_id = ?1) AS is_stored,
       EXISTS (SELECT 1 FROM purged_subjects WHERE subject_id = ?1) AS is_purged
