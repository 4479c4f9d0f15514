"""What is plugged into this computer: CAN interfaces and arms, cameras, the USB ports that they share, the clock."""
