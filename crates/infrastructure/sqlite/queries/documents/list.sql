-- The part is found in an index alone; only what is shown is looked up. One of the four ways applies, or two for the
-- two states in which a run is not over.
SELECT r.id, r.pipeline, r.subject_id, r.state, r.priority, r.fence, r.attempts, r.retry_count, r.created_at, r.queued_at,
       r.available_at, r.started_at, r.deadline_at, r.completed_at, r.worker_id, r.correlation_id, r.failure_type, r.error,
       r.language, r.schema_name, r.schema_version,
       d.original_filename, d.content_type, d.file_size, d.content_hash, d.storage_path, d.created_at, d.review_status,
       d.language_override, d.schema_name, d.id, d.updated_at, d.reviewed_at, d.reviewed_by,
       (SELECT payload FROM artifacts
        WHERE run_id = r.id AND artifact_type = 'RAW_TEXT'
        ORDER BY created_at DESC, id DESC
        LIMIT 1),
       (SELECT certainty FROM certainties WHERE document_id = d.id)
FROM (SELECT created_at AS listed_at, id
      FROM documents
      WHERE ?5 AND (created_at, id) < (?1, ?2)
      UNION ALL
      SELECT listed_at, subject_id
      FROM runs
      WHERE state = ?6 AND listed_at IS NOT NULL AND (listed_at, subject_id) < (?1, ?2)
      UNION ALL
      SELECT listed_at, subject_id
      FROM runs
      WHERE state = ?7 AND listed_at IS NOT NULL AND (listed_at, subject_id) < (?1, ?2)
      UNION ALL
      SELECT created_at, id
      FROM documents
      WHERE review_status = ?8 AND (created_at, id) < (?1, ?2)
      ORDER BY 1 DESC, 2 DESC
      LIMIT ?3 OFFSET ?4) part
CROSS JOIN documents d ON d.id = part.id
LEFT JOIN runs r ON r.id = (SELECT id FROM runs
                            WHERE subject_id = d.id AND pipeline = 'document'
                            ORDER BY created_at DESC, id DESC
                            LIMIT 1)
ORDER BY d.created_at DESC, d.id DESC
