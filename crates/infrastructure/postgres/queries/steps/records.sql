SELECT {step_record e r}
FROM step_events e
JOIN runs r ON r.id = e.run_id
WHERE e.run_id = $1
ORDER BY e.id
