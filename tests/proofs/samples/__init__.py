"""Numbers that satisfy the hypotheses of each theorem; one module for each of proofs/."""
