-- There, and not to be purged before this transaction ends.
SELECT 1 FROM documents WHERE id = $1 FOR KEY SHARE
