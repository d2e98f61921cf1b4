SELECT {hidden} FROM documents WHERE id = $1 FOR NO KEY UPDATE
