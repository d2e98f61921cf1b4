-- Locks the document of a run, if the run has one, so that another transaction cannot add a run of it at the same
-- time.
SELECT 1
FROM runs r
JOIN documents d ON d.id = r.subject_id
WHERE r.id = $1 AND r.pipeline = 'document'
FOR UPDATE OF d
