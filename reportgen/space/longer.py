"""Longer lists of real rows' closest others, for splits of the null ranges that need them: here or on a worker."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reportgen.distances import Floats, Ints
from reportgen.space.search import nearest


@dataclass(frozen=True)
class LongerLists:
    """Finds the closest other real rows of some; `real`, (real rows,): their places in `coordinates`."""

    coordinates: Floats
    real: Ints
    threads: int

    def __call__(self, rows: Ints, k: int) -> tuple[Floats, Ints]:
        """The k closest other real rows of some real rows, by row id: distances and ids, both (rows, k)."""
        real = self.real
        return nearest(self.coordinates, real[rows], real, k, leave_out=rows, threads=self.threads)

    def __getstate__(self) -> tuple[Floats, Ints]:
        """The real rows alone travel; a worker has one thread."""
        places, real = np.unique(self.real, return_inverse=True)
        return np.array(self.coordinates[places]), real

    def __setstate__(self, state: tuple[Floats, Ints]) -> None:
        for name, value in zip(("coordinates", "real", "threads"), (*map(np.array, state), 1), strict=True):
            object.__setattr__(self, name, value)
