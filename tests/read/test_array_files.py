"""Array files made to hurt: what their headers claim is never allocated, and nothing in them is run."""

import io
import pickle
import resource
import struct
import zipfile

import numpy as np
import pytest

from reportgen.errors import InputError
from reportgen.read.array_files import load_array
from reportgen.read.tables import read_table


def npy(header, data=b"", version=b"\x01\x00"):
    text = header.encode()
    text += b" " * (-(10 + len(text) + 1) % 64) + b"\n"
    length = struct.pack("<H" if version[0] == 1 else "<I", len(text))
    return b"\x93NUMPY" + version + length + text + data


def refused(path, content, key=None):
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_array(path, key)
    text = str(caught.value)
    assert "\n" not in text
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return text


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["f8", ">f4", "i2", "u8", "?"])
@pytest.mark.parametrize("save", ["npy", "npz", "compressed", "version 2"])
def test_what_numpy_writes_is_read_as_it_was(tmp_path, order, kind, save):
    values = np.array(np.arange(24).reshape(2, 3, 4), dtype=kind, order=order)
    path = tmp_path / ("a.npy" if save in {"npy", "version 2"} else "a.npz")
    if save == "npy":
        np.save(path, values)
    elif save == "version 2":
        with path.open("wb") as stream:
            np.lib.format.write_array(stream, values, version=(2, 0))
    else:
        (np.savez if save == "npz" else np.savez_compressed)(path, values=values, other=values[0])
    read = load_array(path, "values" if path.suffix == ".npz" else None)
    assert read.dtype == values.dtype
    assert np.array_equal(read, values)


@pytest.mark.parametrize(
    "shape", ["(1000000000000, 8)", "(2, 9999999999999999999999)", "(-1, 8)", "(-3, -8)", "(4294967296, 4294967296)"]
)
def test_a_shape_that_the_file_has_no_bytes_for_is_refused_at_once(tmp_path, shape):
    content = npy(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}", b"\0" * 128)
    assert "claims to hold more values" in refused(tmp_path / "a.npy", content)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", content)
    assert "claims to hold more values" in refused(tmp_path / "a.npz", packed.getvalue())


def test_a_size_that_deflate_cannot_reach_is_refused_at_once(tmp_path):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "a.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (500000000, 1), }", b"\0" * 800)
        )
    content = bytearray(packed.getvalue())
    size = struct.unpack_from("<I", content, content.index(b"PK\x01\x02") + 24)[0]
    claimed = struct.pack("<I", 4_000_000_128)
    changed = bytes(content).replace(struct.pack("<I", size), claimed)
    assert "claims to hold more values" in refused(tmp_path / "a.npz", changed)


def test_what_is_pickled_is_never_run(tmp_path):
    class Trap:
        def __reduce__(self):
            return open, (str(tmp_path / "sprung"), "w")

    trapped = pickle.dumps(Trap())
    header = "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
    for name, content in (("a.npy", npy(header, trapped)), ("b.npy", trapped), ("c.npz", trapped)):
        assert "pickled objects are refused" in refused(tmp_path / name, content)
    np.savez(tmp_path / "d.npz", a=np.array([Trap()], dtype=object))
    with pytest.raises(InputError, match="pickled"):
        load_array(tmp_path / "d.npz", None)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "header",
    [
        "__import__('os').abort()",
        "{'descr': '<f8', 'fortran_order': False, 'shape': " + "(" * 3000,
        "{'descr': [('a', '<f8', (10**9,))], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 'x', }",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (1.5, 2), }",
        "{'descr': '<V99999999999', 'fortran_order': False, 'shape': (1, 2), }",
        "{'descr': 5, 'fortran_order': False, 'shape': (1, 2), }",
        "{" * 200,
    ],
)
def test_a_header_that_is_no_header_is_one_line(tmp_path, header):
    assert refused(tmp_path / "a.npy", npy(header, b"\0" * 64))


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_of_packing_have_no_bound_and_are_refused(tmp_path, method):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", method) as archive:
        archive.writestr("a.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }", b"\0" * 32))
    assert "packed in a way" in refused(tmp_path / "a.npz", packed.getvalue())


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9])
def test_a_file_cut_short_is_one_line(tmp_path, cut):
    np.save(tmp_path / "a.npy", np.ones((50, 4)))
    np.savez_compressed(tmp_path / "b.npz", a=np.random.default_rng(1).normal(size=(50, 4)))
    for name in ("a.npy", "b.npz"):
        content = (tmp_path / name).read_bytes()
        assert refused(tmp_path / name, content[: int(cut * len(content))])


def test_a_name_in_an_archive_reaches_no_file(tmp_path):
    np.save(tmp_path / "secret.npy", np.ones((30, 2)))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr(
            "../secret.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", b"\0" * 16)
        )
    assert load_array(tmp_path / "a.npz", None).shape == (1, 2)
    with pytest.raises(InputError, match="no array"):
        load_array(tmp_path / "a.npz", "/etc/passwd")


def test_absurd_claims_take_no_memory(tmp_path):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path = tmp_path / "a.npy"
    path.write_bytes(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (90000000, 8), }"))
    with pytest.raises(InputError):
        read_table(str(path), "original")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kB
