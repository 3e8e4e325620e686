"""Tables and pictures of a fitted estimator."""
