"""Scenarios that plan: worked examples, and what ``mjorbit-warp task`` runs."""
