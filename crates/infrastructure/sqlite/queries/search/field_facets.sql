-- The documents are a JSON list of ids in hexadecimal. A value of many words says little as a facet.
SELECT key, value, count
FROM (SELECT f.key, min(f.value) AS value, count(DISTINCT f.document_id) AS count,
             row_number() OVER (PARTITION BY f.key ORDER BY count(DISTINCT f.document_id) DESC, f.folded_value) AS place
      FROM json_each(?1) ids
      CROSS JOIN document_fields f ON f.document_id = unhex(ids.value)
      WHERE f.folded_value IS NOT NULL AND f.value_type = 'string' AND length(f.folded_value) <= 40
      GROUP BY f.key, f.folded_value)
WHERE place <= ?2
ORDER BY key, place
