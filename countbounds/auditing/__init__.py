"""Audits of trained layers: from a checkpoint to a verdict on every input."""
