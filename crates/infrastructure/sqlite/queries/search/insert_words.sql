INSERT INTO search_words (rowid, words) VALUES (?1 << 16 | ?2, ?3)
