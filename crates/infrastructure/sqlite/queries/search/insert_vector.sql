INSERT INTO search_vectors (chunk_id, model, vector) VALUES (?1 << 16 | ?2, ?3, ?4)
