-- Returns, for each document, the active version of its latest completed run.
SELECT {version v}, wanted.id AS document_id
FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted (id, place)
CROSS JOIN LATERAL (SELECT id FROM runs
                    WHERE subject_id = wanted.id AND pipeline = 'document' AND state = 'COMPLETED'
                    ORDER BY completed_at DESC, created_at DESC, id DESC
                    LIMIT 1) r
JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active
ORDER BY wanted.place
