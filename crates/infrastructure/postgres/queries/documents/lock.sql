-- Locks the document, so that another transaction cannot add a run of it at the same time.
SELECT 1 FROM documents WHERE id = $1 FOR UPDATE
