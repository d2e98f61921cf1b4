INSERT INTO field_changes (id, interpretation_id, run_id, place, change_type, field_id, field_key, field_path, value_type,
                           old_value, new_value, mapping_id)
SELECT u.id, $1, $2, u.place - 1, u.change_type, u.field_id, u.field_key, u.field_path, u.value_type, u.old_value,
       u.new_value, u.mapping_id
FROM unnest($3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[])
     WITH ORDINALITY
     AS u (id, change_type, field_id, field_key, field_path, value_type, old_value, new_value, mapping_id, place)
