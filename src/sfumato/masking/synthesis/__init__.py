"""Synthesis: records of nobody, drawn from trees and brought to the tables and products of the original."""
