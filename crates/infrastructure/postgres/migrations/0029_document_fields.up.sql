-- The fields of each document in columns: those of the active version of its latest completed run. The table tells nothing
-- that the versions do not tell; it is there for filters, facets and other programs. It has no foreign key to documents:
-- checking one would lock the document after its run, against the order of locks.

-- transaction
CREATE TABLE document_fields (
    document_id      uuid             NOT NULL,
    -- The place of the field in its version.
    position         int              NOT NULL CHECK (position >= 0),
    run_id           uuid             NOT NULL,
    version_number   int              NOT NULL,
    field_id         uuid             NOT NULL,
    key              text             NOT NULL,
    value            text,
    value_type       text             NOT NULL,
    -- The one way to write a date, a number or a boolean.
    normalised_value text,
    number_value     double precision,
    date_value       date,
    -- Lower case, without accents, at most 200 characters.
    folded_value     text,
    page             int,
    confidence       double precision NOT NULL,
    visit_id         text,
    origin           text             NOT NULL CHECK (origin IN ('machine', 'embedded', 'human', 'derived')),
    PRIMARY KEY (document_id, position)
);

-- Which documents have this value, or one in this range?
CREATE INDEX document_fields_by_number ON document_fields (key, number_value, document_id) WHERE number_value IS NOT NULL;
CREATE INDEX document_fields_by_date ON document_fields (key, date_value, document_id) WHERE date_value IS NOT NULL;
CREATE INDEX document_fields_by_text ON document_fields (key, folded_value, document_id) WHERE folded_value IS NOT NULL;

CREATE FUNCTION document_fields_go_with_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM document_fields WHERE document_id = OLD.id;
    RETURN NULL;
END $$;

CREATE TRIGGER document_fields_go_with_documents AFTER DELETE ON documents
FOR EACH ROW EXECUTE FUNCTION document_fields_go_with_document();

-- fields in batches of documents.id
SELECT v.version_number, v.data
FROM documents d
CROSS JOIN LATERAL (SELECT id FROM runs
                    WHERE subject_id = d.id AND pipeline = 'document' AND state = 'COMPLETED'
                    ORDER BY completed_at DESC, created_at DESC, id DESC
                    LIMIT 1) r
JOIN interpretation_versions v ON v.run_id = r.id AND v.is_active
WHERE d.id > $1 AND d.id <= $2;

INSERT INTO document_fields (document_id, position, run_id, version_number, field_id, key, value, value_type, normalised_value, number_value,
                             date_value, folded_value, page, confidence, visit_id, origin)
SELECT document_id, position, run_id, version_number, field_id, key, value, value_type, normalised_value, number_value,
       date_value, folded_value, page, confidence, visit_id, origin
FROM json_to_recordset($1::json)
AS f (document_id uuid, position int, run_id uuid, version_number int, field_id uuid, key text, value text,
      value_type text, normalised_value text, number_value double precision, date_value date, folded_value text,
      page int, confidence double precision, visit_id text, origin text);
