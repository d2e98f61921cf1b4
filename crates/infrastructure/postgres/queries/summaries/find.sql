SELECT {run r}, {link_request l}, {summary s}
FROM summaries s
JOIN link_requests l ON l.run_id = s.run_id
JOIN runs r ON r.id = s.run_id
WHERE s.id = $1
