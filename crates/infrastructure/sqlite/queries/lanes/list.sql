-- Every known lane and every lane in which runs wait.
SELECT n.name AS lane_name, l.closed_until AS lane_closed_until, l.reason AS lane_reason, l.paused_at AS lane_paused_at,
       l.paused_by AS lane_paused_by,
       (SELECT count(*) FROM runs WHERE lane = n.name) AS lane_waiting,
       (SELECT min(available_at) FROM runs WHERE lane = n.name) AS lane_next_at
FROM (SELECT name FROM lanes UNION SELECT lane FROM runs WHERE lane IS NOT NULL) n
LEFT JOIN lanes l ON l.name = n.name
ORDER BY n.name
