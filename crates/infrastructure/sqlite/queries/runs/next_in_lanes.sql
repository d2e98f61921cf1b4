-- Finds the runs of this pipeline to claim among those that wait in one of these lanes: most urgent first, then longest queued.
SELECT {run}
FROM runs
WHERE lane IN (SELECT value FROM json_each(?3)) AND turn = 'DELAYED' AND pipeline = ?1
ORDER BY priority DESC, queued_at, id
LIMIT ?2
