-- Looks at the next waiting runs, and returns their subjects with whether a run is at the front there.
SELECT waiting.subject_id AS run_subject_id, waiting.pipeline AS run_pipeline,
       EXISTS (SELECT 1 FROM runs f
               WHERE f.subject_id = waiting.subject_id AND f.pipeline = waiting.pipeline
                 AND f.turn IN ('READY', 'DELAYED', 'HELD')) AS has_front
FROM (SELECT DISTINCT page.subject_id, page.pipeline
      FROM (SELECT subject_id, pipeline
            FROM runs
            WHERE turn = 'BEHIND' AND (subject_id, pipeline) > (?1, ?2)
            ORDER BY subject_id, pipeline
            LIMIT ?3) AS page) AS waiting
ORDER BY waiting.subject_id, waiting.pipeline
