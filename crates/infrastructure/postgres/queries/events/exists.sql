-- Returns the runs whose event is in the history already.
SELECT u.run_id AS run_id
FROM unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::int[])
     AS u (run_id, fence, event_type, step_name, attempt)
WHERE EXISTS (SELECT 1 FROM events e
              WHERE e.run_id = u.run_id AND e.fence = u.fence AND e.event_type = u.event_type
                AND e.step_name IS NOT DISTINCT FROM u.step_name
                AND e.attempt IS NOT DISTINCT FROM u.attempt)
