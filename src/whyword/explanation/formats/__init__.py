"""One file a format: how explanations are written, and read again."""
