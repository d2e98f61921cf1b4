SELECT id, schema_name, change_type, source_key, target_key, occurrence_count, status, is_critical, created_at, updated_at
FROM structural_candidates
WHERE id = $1
