SELECT e.step_name, e.step_status, e.attempt, e.started_at, e.ended_at, e.error_code, e.details, r.pipeline, r.id
FROM (SELECT id, pipeline
      FROM runs
      WHERE subject_id = ?1 AND pipeline = 'document'
      ORDER BY created_at DESC, id DESC
      LIMIT ?2) r
CROSS JOIN step_events e ON e.run_id = r.id
ORDER BY e.id
