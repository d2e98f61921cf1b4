-- Whether the latest run that completed says this.
SELECT 1
FROM run_words
WHERE run_id = (SELECT id FROM runs
                WHERE subject_id = ?1 AND pipeline = 'document' AND state = 'COMPLETED'
                ORDER BY completed_at DESC, created_at DESC, id DESC
                LIMIT 1)
  AND instr(words, ?2) > 0
