SELECT coalesce(max(id), 0) AS newest FROM events
