-- Who reads the document of a run, if its request named it.
ALTER TABLE runs ADD COLUMN extractor text;
