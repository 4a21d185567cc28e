"""One file a metric: pure functions of distances and counts. `ALL` is the registry and the order of measuring.

A new metric is a file here, a line in `ALL`, its key in `reportgen.settings.METRIC_KEYS` and its words in
`templates/text/en.toml`.
"""

from reportgen.metrics import (
    closer_than_people,
    closest_distances_ratio,
    closest_rate,
    distance_to_closest,
    exact_copies,
    holdout_share,
    inference,
    leak_size,
    leak_test,
    linkability,
    membership_inference,
    nn_dist,
    nndr,
    singling_out,
)
from reportgen.metrics.evidence import Metric

ALL: tuple[Metric, ...] = (
    exact_copies,
    distance_to_closest,
    closest_distances_ratio,
    closest_rate,
    nndr,
    nn_dist,
    leak_test,
    leak_size,
    closer_than_people,
    holdout_share,
    membership_inference,
    singling_out,
    linkability,
    inference,
)
