SELECT pg_advisory_unlock(hashtext('quire_lane ' || current_schema() || ' ' || $1::text), $2::int)
