-- Skips a run whose id exists already, and a run that would be a second front: another transaction was faster, and
-- the caller looks again. A run of a document gets the current language of its document and the newest version of
-- its schema. It also gets the document's place in the list, unless a later run has that place. Returns also whether
-- an earlier run may have that place.
INSERT INTO runs (id, pipeline, subject_id, state, turn, priority, correlation_id, created_at, queued_at, language,
                  schema_name, schema_version, continues_run_id, continuation, requested_by, extractor,
                  listed_at)
SELECT u.id, u.pipeline, u.subject_id, 'QUEUED', u.turn, u.priority, u.correlation_id, u.at, u.at, d.language_override,
       s.schema_name, s.version_number, u.continues_run_id, u.continuation, u.requested_by, u.extractor,
       CASE WHEN d.id IS NOT NULL
             AND NOT EXISTS (SELECT 1 FROM runs later
                             WHERE later.subject_id = d.id AND later.pipeline = 'document'
                               AND (later.created_at, later.id) > (u.at, u.id))
            THEN d.created_at END
FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::smallint[], $6::text[], $7::timestamptz[],
            $8::uuid[], $9::int[], $10::text[], $11::text[])
     AS u (id, pipeline, subject_id, turn, priority, correlation_id, at, continues_run_id, continuation, requested_by,
           extractor)
LEFT JOIN documents d ON d.id = u.subject_id AND u.pipeline = 'document'
LEFT JOIN LATERAL (SELECT schema_name, version_number FROM schema_versions
                   WHERE schema_name = d.schema_name
                   ORDER BY version_number DESC
                   LIMIT 1) s ON true
ON CONFLICT DO NOTHING
RETURNING {run runs},
          listed_at IS NOT NULL AND EXISTS (SELECT 1 FROM runs earlier WHERE earlier.subject_id = runs.subject_id) AS has_earlier
