"""What every node of imove shares: message conversions, QoS and state assembly."""
