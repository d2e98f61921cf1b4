-- Describes the current schema, one line for each thing in it.
WITH here AS (SELECT oid FROM pg_namespace WHERE nspname = current_schema()),
tables AS (SELECT c.oid, c.relname, c.relkind, c.reloptions FROM pg_class c WHERE c.relnamespace = (SELECT oid FROM here))
SELECT 'table ' || relname || ' ' || coalesce(reloptions::text, '') AS line FROM tables WHERE relkind = 'r'
UNION ALL
SELECT 'column ' || t.relname || ' ' || row_number() OVER (PARTITION BY t.oid ORDER BY a.attnum) || ' ' || a.attname || ' '
       || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
       || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
FROM tables t
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
WHERE t.relkind = 'r'
UNION ALL
SELECT 'constraint ' || t.relname || ' ' || c.conname || ' ' || pg_get_constraintdef(c.oid)
FROM tables t JOIN pg_constraint c ON c.conrelid = t.oid
UNION ALL
SELECT 'index ' || pg_get_indexdef(i.indexrelid) || CASE WHEN i.indisvalid THEN '' ELSE ' INVALID' END
FROM tables t JOIN pg_index i ON i.indrelid = t.oid
UNION ALL
SELECT 'view ' || relname || ' ' || pg_get_viewdef(oid) FROM tables WHERE relkind = 'v'
UNION ALL
SELECT 'trigger ' || pg_get_triggerdef(g.oid) || ' ' || g.tgenabled::text
FROM tables t JOIN pg_trigger g ON g.tgrelid = t.oid
WHERE NOT g.tgisinternal
UNION ALL
SELECT 'function ' || pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = (SELECT oid FROM here)
ORDER BY 1
