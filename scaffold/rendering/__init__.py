"""Context and templates to text: ours in this process, a project's own in one with limits of time and memory."""
