"""Turn sentences into two CSV files of ids, texts and embeddings, the second for new sentences.

``python examples/embed_sentences.py questions.csv new_questions.csv``

The sentences are questions of bank customers, from banking77.csv in the folder of data sets, or
made up where that is missing. The embedding is a small one of scikit-learn's, so that nothing has
to be downloaded; any other encoder of sentences can take its place in `embed`.
"""

import csv
import sys
from itertools import product
from pathlib import Path

import numpy as np
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline

from graphpac.datasets.storage import data_folder

N_FEATURES = 80
EVERY = 3  # a third of the questions is enough to see how it goes
NEW_EVERY = 20

THINGS = (
    *("card", "transfer", "account", "PIN", "refund", "statement", "loan", "fee", "app", "check"),
    *("password", "deposit", "withdrawal", "mortgage", "insurance", "pension", "receipt"),
    *("invoice", "salary", "currency", "budget", "branch", "machine", "signature", "address"),
    *("phone", "email", "passport", "limit", "overdraft", "interest", "bonus", "voucher"),
    *("subscription", "merchant", "purchase", "ticket", "donation", "tax", "share", "bond", "fund"),
    *("dividend", "broker", "wallet", "token", "code", "message", "letter", "envelope", "contract"),
    *("guarantee", "claim", "dispute", "appeal", "complaint", "apology", "advisor", "appointment"),
    *("meeting", "call", "chat", "website", "browser", "printer", "terminal", "chip", "stripe"),
    *("sticker", "photo", "document", "form", "stamp", "notary", "heir", "inheritance", "rent"),
    *("lease", "deadline", "reminder"),
)
WISHES = (
    *("has not arrived yet", "was refused", "shows the wrong amount", "should be canceled"),
    *("is not working", "costs too much", "was lost or stolen"),
)
FORMS = ("My {} {}.", "What can I do if my {} {}?", "Hello, the {} {}, please help.")


def main(questions: str = "questions.csv", new_questions: str = "new_questions.csv") -> None:
    """Read or make up sentences, embed them and write them."""
    sentences = read_sentences()
    new = sentences[::NEW_EVERY]
    known = [text for place, text in enumerate(sentences) if place % NEW_EVERY]
    X, X_new = embed(known, new)
    write_csv(Path(questions), "q", known, X)
    write_csv(Path(new_questions), "new", new, X_new)


def read_sentences() -> list[str]:
    """Return the questions of banking77.csv, or made-up ones."""
    path = data_folder() / "banking77.csv"
    if not path.exists():
        return [form.format(*words) for *words, form in product(THINGS, WISHES, FORMS)]
    with path.open(newline="", encoding="utf-8") as file:
        return [row["text"].strip() for row in csv.DictReader(file)][::EVERY]


def embed(known: list[str], new: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Place sentences that share words near each other."""
    encoder = make_pipeline(
        TfidfVectorizer(ngram_range=(1, 2), max_df=0.1, sublinear_tf=True),
        TruncatedSVD(N_FEATURES, random_state=0),
    )
    return encoder.fit_transform(known), encoder.transform(new)


def write_csv(path: Path, prefix: str, texts: list[str], X: np.ndarray) -> None:
    """Write a line for each sentence."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "text", *(f"e{place}" for place in range(X.shape[1]))])
        for number, (text, row) in enumerate(zip(texts, X, strict=True)):
            writer.writerow([f"{prefix}{number}", text, *(f"{value:.4f}" for value in row)])


if __name__ == "__main__":
    main(*sys.argv[1:])
