"""Self-constrained spectral clustering again, with dense matrices, formula by formula."""

import numpy as np
from scipy.linalg import polar


def pairs(embedding, affinity):
    """Z = [H H^T]+ on the entries of A, with unit columns, then symmetric."""
    kept = np.where(affinity != 0.0, np.maximum(embedding @ embedding.T, 0.0), 0.0)
    kept = unit_columns(kept)
    return 0.5 * (kept + kept.T)


def unit_columns(matrix):
    """Columns divided by their length, columns of zeros left alone."""
    lengths = np.linalg.norm(matrix, axis=0)
    return matrix / np.where(lengths > 0.0, lengths, 1.0)


def objective(embedding, affinity, pair_matrix, label_matrix, alpha, beta):
    """1/2 Tr(H^T (I - A) H) - alpha <Z, H H^T> + beta/2 |H - V|^2."""
    smoothness = 0.5 * np.trace(embedding.T @ (np.eye(len(affinity)) - affinity) @ embedding)
    agreement = np.sum(pair_matrix * (embedding @ embedding.T))
    strain = 0.5 * np.sum((embedding - label_matrix) ** 2)
    return smoothness - alpha * agreement + beta * strain


def solve(affinity, eigenvectors, labels, alpha, beta, n_iter, inner_steps):
    """Return H after n_iter iterations, and the objective after each."""
    label_matrix = unit_columns(np.eye(eigenvectors.shape[1])[labels])
    embedding = eigenvectors @ polar(eigenvectors.T @ label_matrix)[0]
    history = []
    for iteration in range(n_iter):
        pair_matrix = pairs(embedding, affinity)
        if iteration > 0:
            label_matrix = unit_columns(np.maximum(embedding, 0.0))
        for _ in range(inner_steps):
            pulled = (affinity + 2.0 * alpha * pair_matrix) @ embedding + beta * label_matrix
            embedding = polar(pulled / (1.0 + beta))[0]
        history.append(objective(embedding, affinity, pair_matrix, label_matrix, alpha, beta))
    return embedding, history
