-- Which program a worker is, and which runs it claims. A worker of an older program has neither.
ALTER TABLE workers ADD COLUMN program int CHECK (program > 0);
ALTER TABLE workers ADD COLUMN scope text;
