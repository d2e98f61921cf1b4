-- Checks that the document exists, and keeps it from being purged before this transaction ends.
SELECT 1 FROM documents WHERE id = $1 FOR KEY SHARE
