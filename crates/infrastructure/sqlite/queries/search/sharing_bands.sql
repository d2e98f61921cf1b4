-- Of each band at most ?3 documents are looked at, the newest ones. A band that more of them have says little, and counts little.
WITH mine AS MATERIALIZED (
    SELECT b.band, s.number,
           (SELECT t.document_number FROM search_bands t
            WHERE t.band = b.band
            ORDER BY t.document_number DESC
            LIMIT 1 OFFSET ?3) AS last_left_out
    FROM search_documents s
    JOIN search_bands b ON b.document_number = s.number
    WHERE s.document_id = ?1
), found AS MATERIALIZED (
    SELECT theirs.document_number AS number, sum(CASE WHEN mine.last_left_out IS NULL THEN 1000 ELSE 1 END) AS shared
    FROM mine
    CROSS JOIN search_bands theirs
        ON theirs.band = mine.band AND theirs.document_number > coalesce(mine.last_left_out, -1)
       AND theirs.document_number <> mine.number
    GROUP BY theirs.document_number
    ORDER BY shared DESC, theirs.document_number DESC
    LIMIT ?2
)
SELECT o.document_id, o.signature
FROM found
CROSS JOIN search_documents o ON o.number = found.number
ORDER BY found.shared DESC, found.number DESC
