"""What speaks against words: where they stand, who writes them, what hangs on them."""
