-- Only the version that was edited; if another is active by now, nothing.
UPDATE interpretation_versions
SET is_active = false
WHERE run_id = $1 AND version_number = $2 AND is_active
