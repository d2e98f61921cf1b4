DROP TABLE proposal_decisions;
DROP TABLE persona_reviews;
DROP TABLE proposal_versions;
DROP TABLE proposal_inputs;
