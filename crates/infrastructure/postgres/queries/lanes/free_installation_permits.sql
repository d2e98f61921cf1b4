-- How many permits of a lane no process has. Locks of two numbers have objsubid 2, and pg_locks shows the first number as
-- unsigned.
SELECT greatest($2::int - count(*), 0)::bigint
FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND classid::bigint = hashtext('quire_lane ' || current_schema() || ' ' || $1::text)::bigint & 4294967295
  AND objid::bigint < $2::int
