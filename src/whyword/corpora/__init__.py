"""Labelled texts in: files, folders, tables, newsgroups."""
