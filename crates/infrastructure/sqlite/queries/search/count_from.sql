-- The chunks of the documents with a larger number.
SELECT count(*) FROM search_chunks WHERE document_number > ?1
