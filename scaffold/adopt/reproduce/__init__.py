"""Reproductions of findings in a few lines of plain jax, each run and seen to fail as the finding says."""
