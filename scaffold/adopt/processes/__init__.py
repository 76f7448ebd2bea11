"""The processes that look at classes: asked, ended, shared out, and held to a memory."""
