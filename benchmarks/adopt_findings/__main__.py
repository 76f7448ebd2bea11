"""`python -m benchmarks.adopt_findings`."""

from benchmarks.adopt_findings import main

main()
