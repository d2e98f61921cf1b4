INSERT INTO search_chunks (id, document_number, position, page, text, boxes)
VALUES (?1 << 16 | ?2, ?1, ?2, ?3, ?4, ?5)
