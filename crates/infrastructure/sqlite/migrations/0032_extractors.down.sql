ALTER TABLE runs DROP COLUMN extractor;
