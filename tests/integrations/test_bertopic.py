"""`TopicClusterer` inside the real BERTopic, on embeddings computed before."""

import csv
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from graphpac import GPAC
from graphpac.bertopic import TopicClusterer, topic_distribution
from graphpac.metrics import normalized_mutual_information

N_TOPICS = 6
SUBJECTS = {
    "card": "card pin bank machine swallowed stolen",
    "flight": "flight airport luggage gate delayed boarding",
    "recipe": "recipe oven butter flour sugar baking",
    "match": "match goal referee team penalty league",
    "garden": "garden roses soil seeds watering spring",
    "engine": "engine brakes gears motor fuel garage",
}


@pytest.fixture(scope="module")
def corpus():
    """Short made documents on six subjects, with an embedding that leaves some doubt."""
    rng = np.random.default_rng(0)
    subjects = rng.permutation(np.repeat(np.arange(N_TOPICS), np.arange(40, 100, 10)))
    vocabularies = [words.split() for words in SUBJECTS.values()]
    documents = [" ".join(rng.choice(vocabularies[s], 5)) for s in subjects]
    centers = rng.standard_normal((N_TOPICS, 20))
    embeddings = centers[subjects] + 0.5 * rng.standard_normal((subjects.size, 20))
    return documents, embeddings.astype(np.float32), subjects


def make_model(clusterer, **parameters):
    bertopic = pytest.importorskip("bertopic")
    from bertopic.dimensionality import BaseDimensionalityReduction

    return bertopic.BERTopic(
        hdbscan_model=clusterer, umap_model=BaseDimensionalityReduction(), **parameters
    )


@pytest.fixture
def fitted(corpus):
    documents, embeddings, _ = corpus
    model = make_model(TopicClusterer(GPAC(N_TOPICS, random_state=0)))
    topics, probabilities = model.fit_transform(documents, embeddings)
    return model, np.array(topics), probabilities


def test_every_document_gets_a_topic_and_a_distribution(corpus, fitted):
    documents, _, subjects = corpus
    model, topics, probabilities = fitted

    assert set(topics) == set(range(N_TOPICS))  # no outliers
    assert probabilities.shape == (len(documents), N_TOPICS)
    assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-5)
    assert_array_equal(probabilities.argmax(axis=1), topics)
    # The largest subject is topic 0, and is told by its own words.
    assert_array_equal(N_TOPICS - 1 - topics, subjects)
    assert {word for word, _ in model.get_topic(0)[:6]} == set(SUBJECTS["engine"].split())
    assert model.get_document_info(documents)["Probability"].gt(0.5).all()


def test_new_documents_get_topics_and_distributions(corpus, fitted):
    documents, embeddings, _ = corpus
    model, topics, probabilities = fitted

    again, none = model.transform(documents[:50], embeddings[:50])

    assert_array_equal(again, topics[:50])
    assert none is None  # what BERTopic leaves out
    assert_allclose(topic_distribution(model, embeddings[:50]), probabilities[:50], atol=1e-6)


def test_merged_topics_add_up(corpus, fitted):
    documents, embeddings, _ = corpus
    model, _, before = fitted

    model.merge_topics(documents, [[0, 1]])

    merged = topic_distribution(model, embeddings)
    assert merged.shape == (len(documents), N_TOPICS - 1)
    assert_allclose(merged, model.probabilities_, atol=1e-6)
    assert_allclose(merged[:, 0], before[:, 0] + before[:, 1], atol=1e-6)


def test_a_deleted_topic_leaves_the_distribution(corpus, fitted):
    _, embeddings, _ = corpus
    model, _, before = fitted

    model.delete_topics([5])

    found = topic_distribution(model, embeddings)
    assert found.shape[1] == N_TOPICS - 1
    assert_allclose(found.sum(axis=1), 1.0 - before[:, 5], atol=1e-5)


def test_a_model_with_another_clusterer_is_refused(corpus):
    from sklearn.cluster import KMeans

    documents, embeddings, _ = corpus
    model = make_model(KMeans(N_TOPICS, random_state=0)).fit(documents, embeddings)

    with pytest.raises(TypeError, match="hdbscan_model is of type KMeans: pass"):
        topic_distribution(model, embeddings)


def test_real_sentences(dataset):
    """Ten intents of bank customers, embedded by the words they use."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline

    path = Path(dataset("banking77_minilm").source).with_name("banking77.csv")
    if not path.exists():
        pytest.skip("banking77.csv is not beside banking77_minilm.npz")
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["text"], row["category"]) for row in csv.DictReader(file)]
    intents = list(dict.fromkeys(intent for _, intent in rows))[:10]
    sentences, known = zip(*(row for row in rows if row[1] in intents), strict=True)
    words = TfidfVectorizer(stop_words="english", sublinear_tf=True)
    embeddings = make_pipeline(words, TruncatedSVD(40, random_state=0)).fit_transform(sentences)

    model = make_model(TopicClusterer(GPAC(10, random_state=0)))
    topics, probabilities = model.fit_transform(sentences, embeddings)

    assert -1 not in topics
    assert probabilities.shape == (len(sentences), len(set(topics)))
    assert normalized_mutual_information(known, topics) > 0.5
