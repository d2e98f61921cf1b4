-- Returns whether the document's latest completed run contains the text.
SELECT 1
FROM run_search_text
WHERE run_id = (SELECT id FROM runs
                WHERE subject_id = ?1 AND pipeline = 'document' AND state = 'COMPLETED'
                ORDER BY completed_at DESC, created_at DESC, id DESC
                LIMIT 1)
  AND instr(search_text, ?2) > 0
