"""Drivers of PiPER X, RealSense and Franka behind the imove topic contract, with emulated devices."""
