"""What many explanations say together: class words, summaries, maps, search."""
