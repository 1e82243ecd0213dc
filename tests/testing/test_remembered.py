"""The reference works out once what many policies ask for."""

from __future__ import annotations

from schedlab.testing.reference.remembered import remembered


def test_only_the_very_same_arguments_get_the_last_answer() -> None:
    """An equal list may change later, and a value may belong to another argument."""
    asked: list[object] = []

    @remembered
    def length(values: list[int], more: int = 0, *, less: int = 0) -> int:
        asked.append(values)
        return len(values) + more - less

    first, second = [1, 2], [1, 2]
    assert [length(first), length(first)] == [2, 2]
    assert len(asked) == 1
    assert [length(second), length(first, 1), length(first, less=1)] == [2, 3, 1]
    assert len(asked) == 4
