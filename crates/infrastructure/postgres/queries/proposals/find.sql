SELECT {run r}, {proposal_input i}, {proposal_version v}, {proposal_decision d}
FROM proposal_inputs i
JOIN runs r ON r.id = i.run_id
LEFT JOIN proposal_versions v ON v.run_id = i.run_id
LEFT JOIN proposal_decisions d ON d.run_id = i.run_id
WHERE i.run_id = $1
