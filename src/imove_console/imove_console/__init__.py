"""The operator's local web page: cameras, arms, trials, teleoperation, recordings, calibration."""
