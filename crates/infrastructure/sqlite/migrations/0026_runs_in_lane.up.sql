-- Which runs wait in this lane, in the order of the queue?
CREATE INDEX runs_in_lane ON runs (lane, priority DESC, queued_at, id) WHERE lane IS NOT NULL;
