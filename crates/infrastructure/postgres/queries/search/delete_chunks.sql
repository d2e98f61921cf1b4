DELETE FROM search_chunks WHERE document_number = ANY ($1) AND position BETWEEN $2 AND $3
