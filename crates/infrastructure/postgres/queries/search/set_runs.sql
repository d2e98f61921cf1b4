UPDATE search_documents s
SET run_id = u.run_id, has_text = u.has_text, language = u.language, model = u.model, signature = u.signature
FROM unnest($1::bigint[], $2::uuid[], $3::boolean[], $4::text[], $5::text[], $6::bytea[])
     AS u (number, run_id, has_text, language, model, signature)
WHERE s.number = u.number
