SELECT EXISTS (SELECT 1 FROM runs WHERE subject_id = ?1 AND turn = 'HELD')
