"""``python -m schedlab`` is the command ``schedlab``."""

from schedlab.cli import main

main()
