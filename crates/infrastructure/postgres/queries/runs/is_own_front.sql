-- Returns whether this transaction has made the subject's front.
SELECT EXISTS (SELECT 1 FROM runs
               WHERE subject_id = $1 AND pipeline = $2 AND turn IN ('READY', 'DELAYED', 'HELD')
                 AND xmin = pg_current_xact_id()::xid)
