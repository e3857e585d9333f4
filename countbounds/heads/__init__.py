"""Classification heads: a class vector for each count, decoded by argmax."""
