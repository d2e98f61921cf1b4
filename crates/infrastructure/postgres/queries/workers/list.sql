-- `quire migrate up` asks before the last columns exist.
SELECT {worker w}, (to_jsonb(w) ->> 'program')::int AS worker_program, to_jsonb(w) ->> 'scope' AS worker_scope
FROM workers w
ORDER BY w.id DESC
