SELECT {hidden} FROM documents WHERE id = ?1
