SELECT {run r}, {link_request l}, {summary s}
FROM link_requests l
JOIN runs r ON r.id = l.run_id
LEFT JOIN summaries s ON s.run_id = l.run_id
WHERE l.run_id = $1
