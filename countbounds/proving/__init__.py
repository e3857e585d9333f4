"""The engine that checks the proofs of proofs/: formulas, rules, deciders."""
