-- The claim: who is ready in this pipeline, most urgent first, then longest queued. Only fronts are READY, so a
-- subject with a hundred thousand runs waiting costs no more than one with a single run.
SELECT {run}
FROM runs
WHERE turn = 'READY' AND pipeline = ?1
ORDER BY priority DESC, queued_at, id
LIMIT ?2
