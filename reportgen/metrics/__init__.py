"""One file a metric: pure functions of distances and counts. `ALL` is the registry and the order of measuring.

A new metric is a file here, a line in `ALL`, its key in `reportgen.settings.METRIC_KEYS` and its words in
`templates/text/en.toml`.
"""

from reportgen.metrics import closest_distances_ratio, closest_rate, distance_to_closest, exact_copies, nn_dist, nndr
from reportgen.metrics.evidence import Metric

ALL: tuple[Metric, ...] = (
    exact_copies,
    distance_to_closest,
    closest_distances_ratio,
    closest_rate,
    nndr,
    nn_dist,
)
