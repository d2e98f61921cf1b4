-- Moves a waiting front back into the queue, so that the turn can go to the oldest run.
UPDATE runs
SET turn = 'BEHIND'
WHERE subject_id = ?1 AND pipeline = ?2 AND turn IN ('READY', 'DELAYED')
