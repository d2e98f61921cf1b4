-- About how many chunks there are, and which share of them has each frequent word. The server has counted a sample of them.
SELECT CASE WHEN t.relpages > 0 AND t.reltuples > 0 THEN t.reltuples / t.relpages * t.pages
            ELSE (SELECT count(*) FROM (SELECT FROM search_chunks LIMIT 20000) c) END::float8 AS chunks,
       s.most_common_elems::text::text[] AS words, s.most_common_elem_freqs AS shares
FROM (SELECT reltuples, relpages, pg_relation_size(oid) / current_setting('block_size')::bigint AS pages
      FROM pg_class
      WHERE oid = 'search_chunks'::regclass) t
LEFT JOIN pg_stats s ON s.schemaname = current_schema() AND s.tablename = 'search_chunks' AND s.attname = 'words'
