-- Takes the first permit that no process has. This session may lock a permit that it has a second time, so the permits that
-- it has are left out before they are tried.
SELECT permit
FROM generate_series(0, $2::int - 1) AS permits (permit)
WHERE CASE WHEN permit = ANY ($3::int[]) THEN false
           ELSE pg_try_advisory_lock(hashtext('quire_lane ' || current_schema() || ' ' || $1::text), permit) END
LIMIT 1
