"""Pictures of what the package computes, and the data behind them."""
