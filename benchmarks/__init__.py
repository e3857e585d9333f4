"""Reproducible comparisons, each against what a user would otherwise do."""
