"""Robust continuous clustering with dense matrices: numpy.linalg solves and takes all norms."""

import numpy as np


def edges(graph):
    """Pairs of mutual neighbors, and those Kruskal's algorithm picks from all neighbors."""
    directed = {
        (i, int(graph.indices[place])): float(graph.values[place])
        for i in range(graph.n_samples)
        for place in range(graph.indptr[i], graph.indptr[i + 1])
    }
    mutual = {(i, j) for i, j in directed if i < j and (j, i) in directed}
    part = list(range(graph.n_samples))
    forest = set()
    for _, i, j in sorted((value, *sorted(pair)) for pair, value in directed.items()):
        if part[i] != part[j]:
            forest.add((i, j))
            part = [part[i] if other == part[j] else other for other in part]
    return sorted(mutual | forest)


def components(pairs, n_samples):
    """Number the connected parts in the order of their first samples."""
    part = np.arange(n_samples)
    for i, j in pairs:
        part[part == max(part[i], part[j])] = min(part[i], part[j])
    return np.unique(part, return_inverse=True)[1]


def laplacian(pairs, values, n_samples):
    """Degrees minus weights."""
    adjacency = np.zeros((n_samples, n_samples))
    for (i, j), value in zip(pairs, values, strict=True):
        adjacency[i, j] = adjacency[j, i] = value
    return np.diag(adjacency.sum(axis=1)) - adjacency


def objective(X, U, pairs, weights, strengths, lam, mu):
    """Sum the two terms of the objective, pair by pair."""
    total = 0.5 * ((X - U) ** 2).sum()
    for (i, j), w, s in zip(pairs, weights, strengths, strict=True):
        total += 0.5 * lam * w * (s * ((U[i] - U[j]) ** 2).sum() + mu * (np.sqrt(s) - 1) ** 2)
    return total


def solve(X, pairs, max_iter=100):
    """Return labels, representatives, and objective and mu of every iteration."""
    X = X.astype(np.float64)
    n, d = X.shape
    first, second = np.array(pairs).T
    degrees = np.bincount(np.concatenate((first, second)), minlength=n)
    weights = degrees.mean() / np.sqrt(degrees[first] * degrees[second])
    lengths = np.linalg.norm(X[first] - X[second], axis=1)
    telling = np.sort(lengths[lengths / np.sqrt(d) >= 0.01])
    hundredth = int(np.ceil(0.01 * len(pairs)))
    delta = telling[: min(250, hundredth)].mean()
    eps = telling[:hundredth].mean()
    mu = 3 * telling[-1] ** 2
    lam = np.linalg.norm(X, 2) / np.linalg.norm(laplacian(pairs, weights, n), 2)
    U, history, mus, inner = X, [], [], 0
    for iteration in range(max_iter):
        squares = ((U[first] - U[second]) ** 2).sum(axis=1)
        strengths = (mu / (mu + squares)) ** 2
        history.append(objective(X, U, pairs, weights, strengths, lam, mu))
        mus.append(mu)
        A = laplacian(pairs, weights * strengths, n)
        U = np.linalg.solve(np.eye(n) + lam * A, X)
        inner += 1
        if inner == 4 or (iteration > 0 and abs(history[-2] - history[-1]) < 0.1):
            if mu >= delta:
                mu /= 2
            elif inner == 4:
                mu = delta / 2
            else:
                break
            lam = np.linalg.norm(X, 2) / np.linalg.norm(A, 2)
            inner = 0
    joined = np.linalg.norm(U[first] - U[second], axis=1) <= eps
    kept = [pair for pair, keep in zip(pairs, joined, strict=True) if keep]
    return components(kept, n), U, np.array(history), np.array(mus)
