SELECT original_filename FROM documents WHERE id = ?1
