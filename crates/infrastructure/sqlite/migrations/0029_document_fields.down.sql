DROP TRIGGER document_fields_go_with_documents;
DROP TABLE document_fields;
