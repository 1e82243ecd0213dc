"""The last check before a release: the output may contain no real name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

_WORD = re.compile(r"[^\W_]+")


class NameSearch:
    """Finds any of many names in a text, as whole words: ``ann`` in ``ann_2``, not in ``annual``.

    The words of a text are looked up in one table, so the search takes as long for a thousand names
    as for one. A name that is only a number is not searched for, since many other numbers in a
    trace would match it.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)
        for name in names:
            words = [word for word in _WORD.findall(name) if not word.isdecimal()]
            if words:
                self._names[max(words, key=len)].add(name)

    def __len__(self) -> int:
        return sum(map(len, self._names.values()))

    def found(self, text: str) -> Iterator[str]:
        """Yield the names that the text contains, each once."""
        for word in self._names.keys() & set(_WORD.findall(text)):
            for name in self._names[word]:
                if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", text):
                    yield name
