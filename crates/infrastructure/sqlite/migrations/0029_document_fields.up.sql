-- The fields of each document in columns: those of the active version of its latest completed run. The table tells nothing
-- that the versions do not tell; it is there for filters, facets and other programs.

-- transaction
CREATE TABLE document_fields (
    document_id      BLOB    NOT NULL CHECK (length(document_id) = 16),
    -- The place of the field in its version.
    position         INTEGER NOT NULL CHECK (position >= 0),
    run_id           BLOB    NOT NULL CHECK (length(run_id) = 16),
    version_number   INTEGER NOT NULL,
    field_id         BLOB    NOT NULL CHECK (length(field_id) = 16),
    key              TEXT    NOT NULL,
    value            TEXT,
    value_type       TEXT    NOT NULL,
    -- The one way to write a date, a number or a boolean.
    normalised_value TEXT,
    number_value     REAL,
    -- YYYY-MM-DD.
    date_value       TEXT,
    -- Lower case, without accents, at most 200 characters.
    folded_value     TEXT,
    page             INTEGER,
    confidence       REAL    NOT NULL,
    visit_id         TEXT,
    origin           TEXT    NOT NULL CHECK (origin IN ('machine', 'embedded', 'human', 'derived')),
    PRIMARY KEY (document_id, position)
) WITHOUT ROWID;

-- Which documents have this value, or one in this range?
CREATE INDEX document_fields_by_number ON document_fields (key, number_value, document_id) WHERE number_value IS NOT NULL;
CREATE INDEX document_fields_by_date ON document_fields (key, date_value, document_id) WHERE date_value IS NOT NULL;
CREATE INDEX document_fields_by_text ON document_fields (key, folded_value, document_id) WHERE folded_value IS NOT NULL;

CREATE TRIGGER document_fields_go_with_documents AFTER DELETE ON documents
BEGIN
    DELETE FROM document_fields WHERE document_id = OLD.id;
END;

-- fields in batches of documents.id
SELECT v.version_number, v.data
FROM documents d
JOIN interpretation_versions v
  ON v.is_active = 1
 AND v.run_id = (SELECT id FROM runs
                 WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                 ORDER BY completed_at DESC, created_at DESC, id DESC
                 LIMIT 1)
WHERE d.id > ?1 AND d.id <= ?2;

INSERT INTO document_fields (document_id, position, run_id, version_number, field_id, key, value, value_type, normalised_value, number_value,
                             date_value, folded_value, page, confidence, visit_id, origin)
SELECT unhex(replace(f.value ->> 'document_id', '-', '')), f.value ->> 'position',
       unhex(replace(f.value ->> 'run_id', '-', '')), f.value ->> 'version_number',
       unhex(replace(f.value ->> 'field_id', '-', '')), f.value ->> 'key', f.value ->> 'value', f.value ->> 'value_type',
       f.value ->> 'normalised_value', f.value ->> 'number_value', f.value ->> 'date_value',
       f.value ->> 'folded_value', f.value ->> 'page', f.value ->> 'confidence', f.value ->> 'visit_id',
       f.value ->> 'origin'
FROM json_each(?1) f;
