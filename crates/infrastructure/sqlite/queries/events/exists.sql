SELECT EXISTS (SELECT 1 FROM events
               WHERE run_id = ?1 AND fence = ?2 AND event_type = ?3 AND step_name IS ?4 AND attempt IS ?5)
