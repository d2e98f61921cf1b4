-- Locks documents that get another embedding or their schema, in the order of their ids.
SELECT id FROM documents WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE
