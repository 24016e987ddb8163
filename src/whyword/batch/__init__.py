"""Corpora of any size: read in chunks, worked on by many processes, written as Parquet."""
