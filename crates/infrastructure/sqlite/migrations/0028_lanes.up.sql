-- Lanes: what work shares that is scarce. A lane can be closed until a time or paused, and runs wait in it.
CREATE TABLE lanes (
    name         TEXT NOT NULL PRIMARY KEY,
    -- Set after a provider asked to wait.
    closed_until INTEGER,
    reason       TEXT,
    -- Set while an operator pauses the lane.
    paused_at    INTEGER,
    paused_by    TEXT,
    CHECK ((closed_until IS NULL) = (reason IS NULL)),
    CHECK ((paused_at IS NULL) = (paused_by IS NULL))
) WITHOUT ROWID;

-- The lane in which the run waits.
ALTER TABLE runs ADD COLUMN lane TEXT CHECK (lane IS NULL OR state = 'QUEUED');

-- Which runs wait in this lane, in the order of the queue?
CREATE INDEX runs_in_lane ON runs (lane, priority DESC, queued_at, id) WHERE lane IS NOT NULL;
