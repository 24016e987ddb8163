"""The classifiers, and how they are kept."""
