"""Sweeps: certified brackets of B_min on a grid, on many processes, resumed where interrupted."""
