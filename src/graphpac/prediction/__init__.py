"""Memberships and labels of rows that come after the fit, from the training rows near them."""
