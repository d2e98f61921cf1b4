-- Whether a chunk of this document matches.
SELECT EXISTS (SELECT 1 FROM search_words WHERE search_words MATCH ?1 AND rowid BETWEEN ?2 << 16 AND (?2 << 16) + 65535)
