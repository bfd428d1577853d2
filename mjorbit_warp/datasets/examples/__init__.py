"""Shipped configurations of datasets."""
