-- no-transaction
DROP INDEX CONCURRENTLY IF EXISTS runs_in_lane;
