DROP INDEX runs_in_lane;
ALTER TABLE runs DROP COLUMN lane;
DROP TABLE lanes;
