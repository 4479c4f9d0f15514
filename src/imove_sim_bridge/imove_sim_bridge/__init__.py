"""The simulator behind the imove topic contract."""
