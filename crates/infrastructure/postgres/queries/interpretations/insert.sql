INSERT INTO interpretation_versions (id, run_id, version_number, data, created_at, created_by, is_active, pending_review,
                                     confidence, made_by, model_tokens)
SELECT u.id, u.run_id, u.version_number, u.data, u.created_at, u.created_by, true, u.pending_review,
       u.confidence, u.made_by, u.model_tokens
FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::timestamptz[], $6::text[], $7::boolean[],
            $8::float8[], $9::text[], $10::bigint[])
     AS u (id, run_id, version_number, data, created_at, created_by, pending_review, confidence, made_by, model_tokens)
