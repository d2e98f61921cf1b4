INSERT INTO installation (only_row, id, created_at) VALUES (1, ?1, ?2) ON CONFLICT DO NOTHING
