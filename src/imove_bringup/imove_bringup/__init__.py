"""Launch files, configuration and the imove command."""
