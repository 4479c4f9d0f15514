"""What a person presses: keys of a terminal, a foot pedal."""
