DROP TABLE figures;
DROP TABLE workers;
