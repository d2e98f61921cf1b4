-- OFFSET 0 keeps the planner from scanning all events for these runs. It goes from each run to the events of that
-- run.
SELECT {step_record e r}
FROM (SELECT id, pipeline
      FROM runs
      WHERE subject_id = $1 AND pipeline = 'document'
      ORDER BY created_at DESC, id DESC
      LIMIT $2) r
CROSS JOIN LATERAL (SELECT * FROM step_events WHERE run_id = r.id OFFSET 0) e
ORDER BY e.id
