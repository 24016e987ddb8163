"""Words to vectors: files, packages, CBOW."""
