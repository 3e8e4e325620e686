"""The face for BERTopic, as far as it needs no BERTopic."""

import pytest

from graphpac import GPAC
from graphpac.bertopic import TopicClusterer


@pytest.mark.parametrize(
    ("clusterer", "advice"),
    [(77, r"GPAC\(n_clusters=77\)"), ("gpac", r"GPAC\(n_clusters=\.\.\.\)"), (GPAC, "GPAC")],
)
def test_what_is_no_estimator_is_one_sentence(digits, clusterer, advice):
    with pytest.raises(TypeError, match=f"must be an estimator with memberships: pass .*{advice}"):
        TopicClusterer(clusterer).fit(digits.X)
