DROP TABLE calibration_snapshots;
DROP FUNCTION only_revert();
DROP TABLE calibration_bins;
DROP TABLE calibration_aggregates;
