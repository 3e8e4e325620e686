"""The tables of rows that repeat, on the embedded digits and few rows."""

from benchmarks.repeated import copies_table, degenerate_table


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_table_of_copies():
    _, _, once, often, _ = copies_table([("digits", 3)]).splitlines()

    assert cells(once)[:3] == ["digits", "1,797", "1,797"]
    assert cells(often)[1:4] == ["5,391", *cells(once)[2:4]]


def test_the_table_of_degenerate_rows_and_graphs():
    _, _, random, *others = degenerate_table(300).splitlines()

    assert cells(random)[2] == "1.00"
    assert [cells(line)[0] for line in others][-2:] == [
        "star",
        "ten hubs that all point at",
    ]
