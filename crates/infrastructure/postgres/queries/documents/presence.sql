SELECT EXISTS (SELECT 1 FROM documents WHERE id = u.id)
       OR EXISTS (SELECT 1 FROM runs WHERE subject_id = u.id) AS is_stored,
       EXISTS (SELECT 1 FROM purged_subjects WHERE subject_id = u.id) AS is_purged
FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, place)
ORDER BY u.place
