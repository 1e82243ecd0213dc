"""The version of schedlab, as installed."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("schedlab")
except PackageNotFoundError:  # run from a checkout that was never installed
    __version__ = "0+unknown"
