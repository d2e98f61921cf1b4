SELECT pg_advisory_xact_lock_shared(hashtextextended('quire_vocabulary ' || current_schema(), 0))
