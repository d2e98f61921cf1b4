-- The runs of a subject, and all revisions of them.
WITH RECURSIVE doomed (id) AS (
    SELECT id FROM runs WHERE subject_id = $1
    UNION
    SELECT i.run_id FROM proposal_inputs i JOIN doomed ON i.parent_run_id = doomed.id
)
DELETE FROM runs WHERE id IN (SELECT id FROM doomed)
