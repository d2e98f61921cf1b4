-- Of each band at most $3 documents are looked at, the newest ones. A band that more of them have says little, and counts little.
SELECT o.document_id, o.signature
FROM (SELECT theirs.number, sum(CASE WHEN theirs.size < $3 THEN 1000 ELSE 1 END) AS shared
      FROM search_documents s
      JOIN search_bands mine ON mine.document_number = s.number
      CROSS JOIN LATERAL (
          SELECT newest.number, count(*) OVER () AS size
          FROM (SELECT t.document_number AS number
                FROM search_bands t
                WHERE t.band = mine.band AND t.document_number <> s.number
                ORDER BY t.document_number DESC
                LIMIT $3) newest) theirs
      WHERE s.document_id = $1
      GROUP BY theirs.number
      ORDER BY shared DESC, theirs.number DESC
      LIMIT $2) found
JOIN search_documents o ON o.number = found.number
ORDER BY found.shared DESC, found.number DESC
