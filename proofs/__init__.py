"""The theorems behind countbounds, each stated and proven for all L and d.

A module holds theorems of one subject; `countbounds prove` runs them.
"""
