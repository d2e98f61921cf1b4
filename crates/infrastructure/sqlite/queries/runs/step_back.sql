-- A waiting front makes room, so that the turn can be given anew to the oldest.
UPDATE runs
SET turn = 'BEHIND'
WHERE subject_id = ?1 AND pipeline = ?2 AND turn IN ('READY', 'DELAYED')
