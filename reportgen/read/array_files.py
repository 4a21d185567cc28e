"""Arrays of numbers in `.npy` and `.npz` files, whose headers are believed only as far as the files bear them out."""

from __future__ import annotations

import math
import warnings
import zipfile
import zlib
from pathlib import Path
from tokenize import TokenError
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from reportgen.errors import InputError
from reportgen.read.naming import one_line, shown_name, shown_names

MOST_INFLATED = 1100
"""Bytes that one byte of a deflated file can stand for: 1032, and the little that its ends take."""
_UNREADABLE = (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error, NotImplementedError)
_BAD_HEADER = (ValueError, SyntaxError, TypeError, OverflowError, MemoryError, RecursionError, RuntimeError, TokenError)


def load_array(path: Path, key: str | None) -> NDArray[Any]:
    """Read one array; `key` names one of several in an `.npz`, and may be None where there is one.

    InputError, one line, where the file holds no array of numbers, pickled objects (which could run a program when
    they are read), fewer bytes than its header claims, or several arrays and no key.
    """
    name = one_line(path.name)
    try:
        with path.open("rb") as stream:
            if not zipfile.is_zipfile(stream):
                stream.seek(0)
                return _read(stream, path.stat().st_size, name)
            stream.seek(0)
            with zipfile.ZipFile(stream) as archive:
                keys = [member.removesuffix(".npy") for member in archive.namelist() if member.endswith(".npy")]
                wanted = keys[0] if key is None and len(keys) == 1 else key
                if wanted in keys:
                    return _member(archive, archive.getinfo(f"{wanted}.npy"), name)
    except InputError:
        raise
    except _UNREADABLE:
        msg = (
            f"{name}: this is no readable array of numbers (pickled objects are refused); save numbers with numpy.save"
        )
        raise InputError(msg) from None
    asked = "it holds several arrays" if key is None else f"there is no array {shown_name(key)}"
    msg = f"{name}: {asked}; give {name}:KEY, KEY one of {shown_names(keys)}"
    raise InputError(msg)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> NDArray[Any]:
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED} or info.flag_bits & 1:
        msg = f"{name}: it is packed in a way that numpy does not write; save it with numpy.savez"
        raise InputError(msg)
    if info.file_size > MOST_INFLATED * (info.compress_size + 1):
        raise _overstated(name)
    with archive.open(info) as stream:
        return _read(stream, info.file_size, name)  # type: ignore[arg-type] # an IO of bytes is what numpy reads


def _read(stream: BinaryIO, size: int, name: str) -> NDArray[Any]:
    """Read an array from a stream of `size` bytes; what the header claims beyond them is never allocated."""
    version = np.lib.format.read_magic(stream)
    read_header: Any = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        msg = f"{name}: its version of the NPY format is for names of fields; save it with numpy.save"
        raise InputError(msg)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on headers as Python 2 wrote them, which are read all the same
            shape, in_columns, dtype = read_header(stream)
    except _BAD_HEADER:  # it is a literal of Python, and numpy lets through what parsing one can raise
        raise ValueError from None
    if dtype.hasobject:
        raise ValueError
    if any(length < 0 for length in shape) or math.prod(shape) * dtype.itemsize > size:
        raise _overstated(name)
    content = stream.read(math.prod(shape) * dtype.itemsize)
    flat: NDArray[Any] = np.frombuffer(content, dtype=dtype)
    return flat.reshape(shape[::-1]).transpose() if in_columns else flat.reshape(shape)


def _overstated(name: str) -> InputError:
    return InputError(f"{name}: it claims to hold more values than the file has bytes for; save it again")
