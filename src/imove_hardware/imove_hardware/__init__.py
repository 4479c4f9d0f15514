"""Drivers of PiPER X arms, RealSense cameras and Franka arms behind the imove topic contract, with emulated devices."""
