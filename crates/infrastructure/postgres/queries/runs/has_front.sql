SELECT EXISTS (SELECT 1 FROM runs
               WHERE subject_id = $1 AND pipeline = $2 AND turn IN ('READY', 'DELAYED', 'HELD'))
