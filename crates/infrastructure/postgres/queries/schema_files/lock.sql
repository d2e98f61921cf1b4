-- Of several programs that start at once, one goes first. Readers go on.
LOCK TABLE schema_files IN SHARE ROW EXCLUSIVE MODE
