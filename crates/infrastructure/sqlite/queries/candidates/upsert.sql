-- A repeated edit counts for the existing candidate, whatever its status is. A critical key stays critical.
INSERT INTO structural_candidates (id, schema_name, change_type, source_key, target_key, occurrence_count, status,
                                   is_critical, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, 1, 'PENDING', ?6, ?7, ?7)
ON CONFLICT (schema_name, change_type, source_key, target_key)
DO UPDATE SET occurrence_count = structural_candidates.occurrence_count + 1, updated_at = excluded.updated_at,
              is_critical = structural_candidates.is_critical OR excluded.is_critical
RETURNING id
