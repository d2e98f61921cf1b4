-- Takes the place in the list of documents from the previous run of each document, if that run has ended: no other
-- transaction writes to a run that has ended. A previous run that has not ended gives up its place when it ends.
UPDATE runs
SET listed_at = NULL
FROM unnest($1::uuid[]) AS u (id)
JOIN runs this ON this.id = u.id
CROSS JOIN LATERAL (SELECT p.id
                    FROM runs p
                    WHERE p.subject_id = this.subject_id AND p.pipeline = 'document'
                      AND (p.created_at, p.id) < (this.created_at, this.id)
                    ORDER BY p.created_at DESC, p.id DESC
                    LIMIT 1) AS previous
WHERE runs.id = previous.id AND runs.turn IS NULL AND runs.listed_at IS NOT NULL
