INSERT INTO lanes (name) SELECT name FROM unnest($1::text[]) AS u (name) ON CONFLICT (name) DO NOTHING
