DROP TRIGGER document_fields_go_with_documents ON documents;
DROP FUNCTION document_fields_go_with_document();
DROP TABLE document_fields;
