-- Returns the newest two hundred jobs, oldest first.
SELECT {job}
FROM (SELECT * FROM document_processing_jobs
      WHERE document_id = ?1
      ORDER BY created_at DESC, run_id DESC
      LIMIT 200) newest
ORDER BY created_at, run_id
