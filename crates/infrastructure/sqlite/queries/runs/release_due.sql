UPDATE runs
SET turn = 'READY', lane = NULL
WHERE id IN (SELECT id FROM runs WHERE turn = 'DELAYED' AND available_at <= ?1 ORDER BY available_at LIMIT ?2)
