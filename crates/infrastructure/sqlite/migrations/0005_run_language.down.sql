DROP TRIGGER runs_language_is_final;
ALTER TABLE runs DROP COLUMN language;
