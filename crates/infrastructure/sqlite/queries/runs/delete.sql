DELETE FROM runs WHERE subject_id = ?1
