-- Takes the first place that no process has. This session may lock a place that it has a second time, so the places that
-- it has are left out before they are tried.
SELECT place
FROM generate_series(0, $2::int - 1) AS places (place)
WHERE CASE WHEN place = ANY ($3::int[]) THEN false
           ELSE pg_try_advisory_lock(hashtext('quire_lane ' || current_schema() || ' ' || $1::text), place) END
LIMIT 1
