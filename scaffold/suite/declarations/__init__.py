"""What a suite declares, a file for each kind of row: leaves, methods, outputs, claims, inputs that are another or refused."""
