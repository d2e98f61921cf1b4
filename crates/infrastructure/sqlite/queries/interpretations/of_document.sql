-- Returns the active version of the document's latest completed run.
SELECT {version v}
FROM interpretation_versions v
WHERE v.is_active = 1
  AND v.run_id = (SELECT id FROM runs
                  WHERE subject_id = ?1 AND pipeline = 'document' AND state = 'COMPLETED'
                  ORDER BY completed_at DESC, created_at DESC, id DESC
                  LIMIT 1)
