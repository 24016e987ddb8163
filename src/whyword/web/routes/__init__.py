"""The routes, each one call of the engine or the library."""
