SELECT left('quire_runs_' || current_schema(), 63)
