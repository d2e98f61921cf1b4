-- Lanes: what work shares that is scarce. A lane can be closed until a time or paused, and runs wait in it.

-- transaction
CREATE TABLE lanes (
    name         text        NOT NULL PRIMARY KEY,
    -- Set after a provider asked to wait.
    closed_until timestamptz,
    reason       text,
    -- Set while an operator pauses the lane.
    paused_at    timestamptz,
    paused_by    text,
    CHECK ((closed_until IS NULL) = (reason IS NULL)),
    CHECK ((paused_at IS NULL) = (paused_by IS NULL))
);

-- The lane in which the run waits.
ALTER TABLE runs ADD COLUMN lane text;
ALTER TABLE runs ADD CONSTRAINT runs_wait_in_lane_check CHECK (lane IS NULL OR state = 'QUEUED') NOT VALID;

-- Reads the table while others write.
-- no-transaction
ALTER TABLE runs VALIDATE CONSTRAINT runs_wait_in_lane_check;
-- Which runs wait in this lane, in the order of the queue?
DROP INDEX CONCURRENTLY IF EXISTS runs_in_lane;
CREATE INDEX CONCURRENTLY runs_in_lane ON runs (lane, priority DESC, queued_at, id) WHERE lane IS NOT NULL;
