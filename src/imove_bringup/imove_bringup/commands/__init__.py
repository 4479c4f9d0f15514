"""The verbs of the imove command, one module each."""
