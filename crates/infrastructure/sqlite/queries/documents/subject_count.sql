-- How many subjects `documents/subjects` lists.
SELECT count(*) FROM (SELECT id FROM documents UNION SELECT subject_id FROM runs)
