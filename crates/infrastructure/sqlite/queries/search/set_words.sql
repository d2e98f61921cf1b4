INSERT OR REPLACE INTO search_words_of_documents (rowid, words) VALUES (?1, ?2)
