-- no-transaction
-- Which runs wait in this lane, in the order of the queue?
DROP INDEX CONCURRENTLY IF EXISTS runs_in_lane;
CREATE INDEX CONCURRENTLY runs_in_lane ON runs (lane, priority DESC, queued_at, id) WHERE lane IS NOT NULL;
