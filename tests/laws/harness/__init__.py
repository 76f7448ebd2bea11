"""Running suites on specimens, and the registers of mutants and pairs."""
