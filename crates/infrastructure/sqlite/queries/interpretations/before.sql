-- Of the runs with an interpretation, takes the last one that completed before this run, and returns its active
-- version.
SELECT {version v}
FROM runs this
JOIN runs r ON r.subject_id = this.subject_id AND r.pipeline = 'document' AND r.state = 'COMPLETED'
           AND (r.completed_at, r.created_at, r.id) < (this.completed_at, this.created_at, this.id)
JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active = 1
WHERE this.id = ?1
ORDER BY r.completed_at DESC, r.created_at DESC, r.id DESC
LIMIT 1
