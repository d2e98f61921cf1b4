DROP TRIGGER certainties_go_with_documents;
DROP TRIGGER certainties_follow_reviews;
DROP TRIGGER certainties_follow_runs;
DROP TRIGGER certainties_follow_versions;
DROP VIEW current_certainties;
DROP TABLE certainties;
DROP TRIGGER interpretation_versions_are_final;
ALTER TABLE interpretation_versions DROP COLUMN certainty;
CREATE TRIGGER interpretation_versions_are_final BEFORE UPDATE ON interpretation_versions
WHEN NOT (OLD.is_active = 1 AND NEW.is_active = 0 AND OLD.id = NEW.id AND OLD.run_id = NEW.run_id
          AND OLD.version_number = NEW.version_number AND OLD.data = NEW.data AND OLD.created_at = NEW.created_at
          AND OLD.created_by IS NEW.created_by AND OLD.pending_review = NEW.pending_review)
BEGIN
    SELECT RAISE(ABORT, 'versions are append-only');
END;
