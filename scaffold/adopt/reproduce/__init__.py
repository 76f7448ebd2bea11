"""Findings in a few lines of plain jax: each was run, and does what the finding says."""
