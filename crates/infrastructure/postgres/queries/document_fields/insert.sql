INSERT INTO document_fields (document_id, position, run_id, version_number, field_id, key, value, value_type, normalised_value, number_value,
                             date_value, folded_value, page, confidence, visit_id, origin)
SELECT document_id, position, run_id, version_number, field_id, key, value, value_type, normalised_value, number_value,
       date_value, folded_value, page, confidence, visit_id, origin
FROM json_to_recordset($1::json)
AS f (document_id uuid, position int, run_id uuid, version_number int, field_id uuid, key text, value text,
      value_type text, normalised_value text, number_value double precision, date_value date, folded_value text,
      page int, confidence double precision, visit_id text, origin text)
