-- The document of a run, if it has one: whoever asks for another run of it waits, or is waited for.
SELECT 1
FROM runs r
JOIN documents d ON d.id = r.subject_id
WHERE r.id = $1 AND r.pipeline = 'document'
FOR UPDATE OF d
