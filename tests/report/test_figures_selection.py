"""The picture of a comparison of numbers of clusters."""

from matplotlib.figure import Figure

from graphpac.report.figures_selection import draw_suggestion
from graphpac.selection import ComparedNumber
from graphpac.selection.rule import choose


def test_the_suggestion_is_marked_and_empty_clusters_are_hollow():
    candidates = [
        ComparedNumber(2, 2, 0.9, 0.4, 0.6),
        ComparedNumber(5, 5, 0.9, 0.8, 1.5),
        ComparedNumber(9, 7, 0.7, 0.8, 1.5),
    ]
    axes = Figure().subplots()

    draw_suggestion(axes, choose(candidates))

    curves = [line for line in axes.lines if line.get_markerfacecolor() != "white"]
    assert [list(line.get_xdata()) for line in curves] == [[2, 5, 9]] * 3 + [[5, 5]]
    hollow = [line for line in axes.lines if line.get_markerfacecolor() == "white"]
    assert [list(line.get_xdata()) for line in hollow] == [[9]] * 3
    assert {text.get_text() for text in axes.texts} == {
        "stability",
        "modularity",
        "score, highest 1",
        "5",
    }
