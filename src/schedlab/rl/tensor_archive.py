"""Zip files with numbers in safetensors and everything else in JSON: nothing in them is code."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from schedlab.atomic import atomic_write
from schedlab.errors import InputError, MissingExtraError
from schedlab.policies.learned.document import read_document, write_document
from schedlab.workload.readers import Source

try:
    from safetensors import SafetensorError
    from safetensors.numpy import load, save
except ModuleNotFoundError:
    raise MissingExtraError("safetensors", "rl") from None

DOCUMENT, TENSORS = "config.json", "model.safetensors"
FOREIGN = "_stable_baselines3_version"
"""The name of an entry in files that Stable-Baselines3 saves itself."""

Tensors = dict[str, NDArray[Any]]


def write_archive(
    path: str | Path, kind: str, document: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> None:
    """Write the file whole or not at all; the same content gives the same bytes."""
    parts = {
        DOCUMENT: write_document(kind, document).encode(),
        TENSORS: save({name: np.ascontiguousarray(each) for name, each in tensors.items()}),
    }
    with atomic_write(path) as temporary, ZipFile(temporary, "w", ZIP_DEFLATED) as archive:
        archive.writestr(ZipInfo(DOCUMENT), parts[DOCUMENT], ZIP_DEFLATED, compresslevel=1)
        # Learnt numbers hardly compress, and trying takes longer than writing them.
        archive.writestr(ZipInfo(TENSORS), parts[TENSORS], ZIP_STORED)


def read_archive(path: str | Path, kind: str) -> tuple[dict[str, Any], Tensors]:
    """Return the document and the numbers; InputError says why a file is not of that kind."""
    parts = _parts(Source.load(path), kind)
    document = read_document(path, DOCUMENT, parts[DOCUMENT], kind)
    try:
        return document, load(parts[TENSORS])
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: {TENSORS} in it is damaged: {error}") from None


def _parts(source: Source, kind: str) -> dict[str, bytes]:
    try:
        with ZipFile(BytesIO(source.raw)) as archive:
            missing = {DOCUMENT, TENSORS} - set(archive.namelist())
            if FOREIGN in archive.namelist():
                raise InputError(
                    f"{source.path}: is a model of Stable-Baselines3, not a {kind}; "
                    "as a policy it is learned:FILE, with its environment's settings beside it"
                )
            if missing:
                raise InputError(f"{source.path}: has no {min(missing)} in it; is it a {kind}?")
            return {name: archive.read(name) for name in (DOCUMENT, TENSORS)}
    except (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise InputError(f"{source.path}: is damaged, or no {kind}: {error}") from None
