-- The part is found in an index alone; only what is shown is looked up. One of the four ways applies, or two for the
-- two states in which a run is not over. A run counts if it is its document's latest, whatever the index still has.
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
FROM ((SELECT created_at AS listed_at, id
       FROM documents
       WHERE $5 AND (created_at, id) < ($1, $2)
       ORDER BY created_at DESC, id DESC
       LIMIT $3 + $4)
      UNION ALL
      (SELECT r.listed_at, r.subject_id
       FROM runs r
       WHERE r.state = $6::text AND r.listed_at IS NOT NULL AND (r.listed_at, r.subject_id) < ($1, $2)
         AND NOT EXISTS (SELECT 1 FROM runs later
                         WHERE later.subject_id = r.subject_id AND later.pipeline = 'document'
                           AND (later.created_at, later.id) > (r.created_at, r.id))
       ORDER BY r.listed_at DESC, r.subject_id DESC
       LIMIT $3 + $4)
      UNION ALL
      (SELECT r.listed_at, r.subject_id
       FROM runs r
       WHERE r.state = $7::text AND r.listed_at IS NOT NULL AND (r.listed_at, r.subject_id) < ($1, $2)
         AND NOT EXISTS (SELECT 1 FROM runs later
                         WHERE later.subject_id = r.subject_id AND later.pipeline = 'document'
                           AND (later.created_at, later.id) > (r.created_at, r.id))
       ORDER BY r.listed_at DESC, r.subject_id DESC
       LIMIT $3 + $4)
      UNION ALL
      (SELECT created_at, id
       FROM documents
       -- Said so that only the index by review can be walked: by time alone, one kind may be far between.
       WHERE review_status >= $8::text AND (review_status, created_at, id) < ($8::text, $1, $2)
       ORDER BY review_status DESC, created_at DESC, id DESC
       LIMIT $3 + $4)
      ORDER BY 1 DESC, 2 DESC
      LIMIT $3 OFFSET $4) part
JOIN documents d ON d.id = part.id
LEFT JOIN LATERAL (SELECT * FROM runs
                   WHERE subject_id = d.id AND pipeline = 'document'
                   ORDER BY created_at DESC, id DESC
                   LIMIT 1) r ON true
ORDER BY d.created_at DESC, d.id DESC
