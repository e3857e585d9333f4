"""Theorems about every length L, each discharged step by step by a checker."""
