SELECT {worker}, program AS worker_program, scope AS worker_scope
FROM workers
ORDER BY id DESC
