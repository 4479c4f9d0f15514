"""Leader to follower teleoperation with recording, on real and on simulated arms."""
