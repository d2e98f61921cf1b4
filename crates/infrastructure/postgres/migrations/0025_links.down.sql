DROP TABLE summaries;
DROP TABLE link_hashes;
DROP TABLE link_requests;
