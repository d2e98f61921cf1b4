-- Everything that may have files: documents and the subjects of runs.
SELECT id FROM (SELECT id FROM documents WHERE id > $1 ORDER BY id LIMIT $2) AS d
UNION
SELECT subject_id FROM (SELECT DISTINCT subject_id FROM runs WHERE subject_id > $1 ORDER BY subject_id LIMIT $2) AS r
ORDER BY 1
LIMIT $2
