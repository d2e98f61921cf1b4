SELECT {version}
FROM interpretation_versions
WHERE run_id = ?1 AND is_active = 1
