DROP INDEX runs_in_lane;
