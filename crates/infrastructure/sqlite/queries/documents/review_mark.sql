SELECT {review_mark} FROM documents WHERE id = ?1
