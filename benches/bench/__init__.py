"""Runs programs side by side, and says what came of it."""
