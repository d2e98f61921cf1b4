INSERT INTO search_bands (band, document_number)
SELECT u.band, u.number
FROM unnest($1::bigint[], $2::bigint[]) AS u (band, number)
ON CONFLICT DO NOTHING
