"""What every room stands on: errors, checks, files, threads, progress."""
