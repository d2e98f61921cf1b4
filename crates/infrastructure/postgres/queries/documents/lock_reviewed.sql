-- Locks those of the documents that are REVIEWED, before the caller locks their runs: every transaction locks a document
-- first. A document that becomes REVIEWED a moment later waits for the runs.
SELECT 1 FROM documents WHERE id = ANY ($1) AND review_status = 'REVIEWED' ORDER BY id FOR UPDATE
