ALTER TABLE workers DROP COLUMN scope;
ALTER TABLE workers DROP COLUMN program;
