-- Whoever is about to add a run of this document waits, or is waited for.
SELECT 1 FROM documents WHERE id = $1 FOR UPDATE
