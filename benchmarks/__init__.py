"""Measurements of what sfumato promises; `python -m benchmarks` runs them."""
