"""Recorded histories: their format, their monitors, the search for an order; knows the models."""
