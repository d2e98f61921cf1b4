-- Lanes: what work shares that is scarce. A lane can be closed until a time or paused, and runs wait in it.
CREATE TABLE lanes (
    name         text        NOT NULL PRIMARY KEY,
    -- Set after a provider asked to wait.
    closed_until timestamptz,
    reason       text,
    -- Set while an operator pauses the lane.
    paused_at    timestamptz,
    paused_by    text,
    CHECK ((paused_at IS NULL) = (paused_by IS NULL))
);

-- The lane in which the run waits.
ALTER TABLE runs ADD COLUMN lane text;
