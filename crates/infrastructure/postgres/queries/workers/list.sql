SELECT {worker}
FROM workers
ORDER BY id DESC
