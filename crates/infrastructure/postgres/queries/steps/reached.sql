SELECT {step_progress p r}
FROM step_progress p
JOIN runs r ON r.id = p.run_id
WHERE p.run_id = ANY ($1::uuid[])
