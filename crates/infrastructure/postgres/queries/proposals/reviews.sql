SELECT {persona_review p}
FROM persona_reviews p
WHERE p.run_id = $1
