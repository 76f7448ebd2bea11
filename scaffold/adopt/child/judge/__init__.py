"""Whether an example says anything, and what the laws say of it."""
