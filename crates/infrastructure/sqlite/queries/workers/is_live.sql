SELECT EXISTS (SELECT 1 FROM workers
               WHERE id = ?1 AND ended_at IS NULL AND (lease_until IS NULL OR lease_until > ?2))
