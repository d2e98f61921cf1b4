-- If several processes start at once, they seed the schemas one after the other. Reading stays possible.
LOCK TABLE schema_files IN SHARE ROW EXCLUSIVE MODE
