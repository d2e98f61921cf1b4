SELECT {step_record e r}
FROM (SELECT id, pipeline
      FROM runs
      WHERE subject_id = ?1 AND pipeline = 'document'
      ORDER BY created_at DESC, id DESC
      LIMIT ?2) r
CROSS JOIN step_events e ON e.run_id = r.id
ORDER BY e.id
