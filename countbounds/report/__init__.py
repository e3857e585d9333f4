"""One page that shows the recomputed tables, certified brackets and figures."""
