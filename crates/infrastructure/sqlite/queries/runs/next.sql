-- Finds the runs of this pipeline to claim: the READY runs, most urgent first, then longest queued. Only fronts are
-- READY, so a subject with a hundred thousand waiting runs costs no more than a subject with one.
SELECT {run}
FROM runs
WHERE turn = 'READY' AND pipeline = ?1
ORDER BY priority DESC, queued_at, id
LIMIT ?2
