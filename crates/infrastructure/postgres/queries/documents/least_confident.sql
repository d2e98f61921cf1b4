-- The part is found in an index alone, which has the documents that wait for a person and no others.
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
FROM (SELECT certainty, document_id
      FROM certainties
      WHERE is_open AND (certainty, document_id) > ($1, $2)
      ORDER BY certainty, document_id
      LIMIT $3 OFFSET $4) part
JOIN documents d ON d.id = part.document_id
LEFT JOIN LATERAL (SELECT * FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document'
                   ORDER BY created_at DESC, id DESC
                   LIMIT 1) r ON true
ORDER BY part.certainty, part.document_id
