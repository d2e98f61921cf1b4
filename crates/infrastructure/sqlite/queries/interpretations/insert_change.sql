INSERT INTO field_changes (id, interpretation_id, run_id, place, change_type, field_id, field_key, field_path, value_type,
                           old_value, new_value, mapping_id)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
