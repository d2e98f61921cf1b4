INSERT INTO document_fields (document_id, position, run_id, version_number, field_id, key, value, value_type, normalised_value, number_value,
                             date_value, folded_value, page, confidence, visit_id, origin)
SELECT unhex(replace(f.value ->> 'document_id', '-', '')), f.value ->> 'position',
       unhex(replace(f.value ->> 'run_id', '-', '')), f.value ->> 'version_number',
       unhex(replace(f.value ->> 'field_id', '-', '')), f.value ->> 'key', f.value ->> 'value', f.value ->> 'value_type',
       f.value ->> 'normalised_value', f.value ->> 'number_value', f.value ->> 'date_value',
       f.value ->> 'folded_value', f.value ->> 'page', f.value ->> 'confidence', f.value ->> 'visit_id',
       f.value ->> 'origin'
FROM json_each(?1) f
