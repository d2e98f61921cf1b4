SELECT pg_notify(left('quire_runs_' || current_schema(), 63), 'cancelled')
