DROP TABLE calibration_snapshots;
DROP TABLE calibration_bins;
DROP TABLE calibration_aggregates;
