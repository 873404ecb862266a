"""Group anonymity: signals that give a group away, what violates it, and swaps that hide it."""
