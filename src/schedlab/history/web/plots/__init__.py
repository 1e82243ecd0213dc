"""The figures of the pages: each a function of columns."""
