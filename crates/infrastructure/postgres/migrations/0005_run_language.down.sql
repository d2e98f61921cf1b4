DROP TRIGGER runs_language_is_final ON runs;
ALTER TABLE runs DROP COLUMN language;
