-- Documents that a program has indexed which does not know the words of documents.
SELECT number FROM search_documents WHERE has_words = 0 LIMIT ?1
