"""What a search hands to the metrics: distances, never rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class NeighbourDistances:
    """Euclidean distances of each query row to its two closest base rows, in float64; all arrays are read-only.

    `first` <= `second`, shape (queries,). `first_id` and `second_id` are positions in the base; ties go to the smaller
    id. With one base row left, `second` is inf and `second_id` is -1.
    """

    first: Floats
    second: Floats
    first_id: Ints
    second_id: Ints

    def __post_init__(self) -> None:
        for array in (self.first, self.second, self.first_id, self.second_id):
            array.setflags(write=False)

    @property
    def ratio(self) -> Floats:
        """d1/d2 of each query, shape (queries,); 1 where d2 is 0 (seed 000), 0 where there is no second row."""
        return np.divide(self.first, self.second, out=np.ones_like(self.first), where=self.second > 0)
