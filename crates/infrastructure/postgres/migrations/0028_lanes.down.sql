-- Also removes the index of the column.
ALTER TABLE runs DROP COLUMN lane;
DROP TABLE lanes;
