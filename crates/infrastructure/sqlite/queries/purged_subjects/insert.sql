INSERT INTO purged_subjects (subject_id, purged_at) VALUES (?1, ?2) ON CONFLICT DO NOTHING
