"""Text to words with their spans."""
