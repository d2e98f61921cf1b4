SELECT pg_advisory_xact_lock(hashtextextended('quire_vocabulary ' || current_schema(), 0))
