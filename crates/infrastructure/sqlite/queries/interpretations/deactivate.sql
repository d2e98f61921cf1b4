-- Deactivates the edited version. Changes nothing if another version is active by now.
UPDATE interpretation_versions
SET is_active = 0
WHERE run_id = ?1 AND version_number = ?2 AND is_active = 1
