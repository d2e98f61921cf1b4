INSERT INTO search_chunks (document_number, position, page, text, boxes, words)
SELECT u.number, u.position, u.page, u.text, u.boxes, u.words::tsvector
FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::text[], $5::bytea[], $6::text[])
     AS u (number, position, page, text, boxes, words)
