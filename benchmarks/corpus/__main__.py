"""`python -m benchmarks.corpus`."""

from benchmarks.corpus import main

main()
