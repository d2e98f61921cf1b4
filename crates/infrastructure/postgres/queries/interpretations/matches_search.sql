-- Returns the documents whose latest completed run contains the text.
SELECT wanted.id AS document_id
FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place)
CROSS JOIN LATERAL (SELECT id FROM runs
                    WHERE subject_id = wanted.id AND pipeline = 'document' AND state = 'COMPLETED'
                    ORDER BY completed_at DESC, created_at DESC, id DESC
                    LIMIT 1) r
JOIN run_search_text w ON w.run_id = r.id
WHERE strpos(w.search_text, $2) > 0
ORDER BY wanted.place
