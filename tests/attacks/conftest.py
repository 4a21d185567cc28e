import pytest

from reportgen import runner
from reportgen.attacks.attributes import attributes
from reportgen.read.groups import identical_rows
from reportgen.settings import Settings
from reportgen.space.famd import encode


@pytest.fixture
def read():
    """Read tables as the attacks see them."""

    def build(original, synthetic, holdout=None, settings=None):
        settings = Settings() if settings is None else settings
        partition = runner.read_inputs(original, synthetic, holdout, settings)
        rows = identical_rows(partition)
        return attributes(partition, rows, encode(partition, settings), settings).of(rows)

    return build
