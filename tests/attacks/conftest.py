import numpy as np
import pandas as pd
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


@pytest.fixture
def people():
    """Draw people whose columns hang together: two numbers, two categories."""

    def draw(rows, seed):
        random = np.random.default_rng(seed)
        age = random.integers(18, 90, rows)
        return pd.DataFrame(
            {
                "age": age,
                "pay": np.round(random.lognormal(7, 0.6, rows), 1) + age,
                "town": random.choice(["a", "b", "c", "d"], rows),
                "old": np.where(age > 50, "yes", "no"),
            }
        )

    return draw
