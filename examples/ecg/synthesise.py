"""Make the two synthetic sets of ECG records from `original.npz`.

    python examples/ecg/synthesise.py examples/ecg

The generator is our own and small on purpose: it knows the original records by averages alone. Beats are cut around
their R peaks and described by a mean and a few principal components over both leads; a synthetic beat is drawn from a
normal distribution of the components. Beats are placed at intervals drawn from those of the records, on a level and a
slow drift of their own, under noise with the spectrum of what the beats leave over and with random phases. No
synthetic record is made from any one original record. numpy alone; the seed is fixed.
"""

from __future__ import annotations

import argparse
import itertools
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SEED = 100
RECORDS = 300
EXACT_COPIES = 15
NEAR_COPIES = 15
NEAR_NOISE = 1.0
"""Standard deviation of the noise on a near copy, in units of 5 microvolts: the least step of the recorder."""
BEFORE, AFTER = 100, 180
"""Samples of a beat before and after its R peak; at 360 Hz these hold the P wave and the T wave."""
COMPONENTS = 6
HALF_HEIGHT = 0.5
REFRACTORY = 150
"""Fewest samples between two R peaks (0.42 s)."""
USUAL_SHARE = 0.9
"""Share of the beats that the model is fitted on."""
KNOTS = 4
"""A drift is a line through so many points."""


@dataclass(frozen=True)
class Model:
    """What the generator knows of the original records; leads are joined end to end in beats."""

    beat: Floats
    components: Floats
    spread: Floats
    interval: tuple[float, float]
    level: Floats
    level_covariance: Floats
    drift: Floats
    spectrum: Floats


def main(folder: Path) -> None:
    """Read the original records of a folder and write the good and the leaky synthetic ones beside them."""
    with np.load(folder / "original.npz") as stored:
        original = stored["records"]
    random = np.random.default_rng(SEED)
    good = generate(fit(original.astype(np.float64)), original.shape[1:], random)
    leaky = leak(good, original, random)
    np.savez_compressed(folder / "synthetic_good.npz", records=good)
    np.savez_compressed(folder / "synthetic_leaky.npz", records=leaky)


def fit(records: Floats) -> Model:
    """Average over the records, shape (records, leads, samples)."""
    levels = np.median(records, axis=2)
    lifted = records - levels[:, :, np.newaxis]
    peaks = [r_peaks(record[0]) for record in lifted]
    cut = [
        record[:, peak - BEFORE : peak + AFTER].ravel()
        for record, found in zip(lifted, peaks, strict=True)
        for peak in found
        if peak >= BEFORE and peak + AFTER <= records.shape[2]
    ]
    beats = usual_ones(np.stack(cut))
    mean = beats.mean(axis=0)
    _, _, axes = np.linalg.svd(beats - mean, full_matrices=False)
    # The sign of an axis is open, and libraries choose it differently.
    components = axes[:COMPONENTS] * np.sign(axes[:COMPONENTS].sum(axis=1, keepdims=True))
    intervals = np.concatenate([np.diff(found) for found in peaks])
    usual = round(float(intervals.mean()))
    around = [[found[0] - usual, *found, found[-1] + usual] for found in peaks]  # beats that reach into the window
    rest = lifted - np.stack([placed(mean, found, records.shape[1:]) for found in around])
    drifts = np.stack([_knots(lead) for record in rest for lead in record]).reshape(*records.shape[:2], KNOTS)
    scores = (beats - mean) @ components.T
    noise = (beats - mean - scores @ components).reshape(len(beats), records.shape[1], -1)
    return Model(
        beat=mean,
        components=components,
        spread=scores.std(axis=0),
        interval=(float(intervals.mean()), float(intervals.std())),
        level=levels.mean(axis=0),
        level_covariance=np.cov(levels.T),
        drift=drifts.std(axis=(0, 2)),
        spectrum=_stretched(np.sqrt((np.abs(np.fft.rfft(noise, axis=2)) ** 2).mean(axis=0)), records.shape[2]),
    )


def usual_ones(beats: Floats) -> Floats:
    """Leave out the beats least like the median beat: early ones, and those with the next beat in their window."""
    distance = np.linalg.norm(beats - np.median(beats, axis=0), axis=1)
    usual: Floats = beats[distance <= np.quantile(distance, USUAL_SHARE)]
    return usual


def _stretched(spectrum: Floats, samples: int) -> Floats:
    """Turn amplitudes (leads, frequencies) of a beat's length into those of a record's: noise of the same power."""
    wanted, known = np.fft.rfftfreq(samples), np.fft.rfftfreq(BEFORE + AFTER)
    scale = np.sqrt(samples / (BEFORE + AFTER))
    return np.stack([scale * np.interp(wanted, known, lead) for lead in spectrum])


def generate(model: Model, shape: tuple[int, ...], random: np.random.Generator) -> NDArray[np.int16]:
    """Draw records of (leads, samples) from the model, rounded to the units of the original."""
    leads, samples = shape
    records = np.zeros((RECORDS, leads, samples))
    for place in range(RECORDS):
        start = random.uniform(-AFTER, model.interval[0] - AFTER)
        steps = random.normal(*model.interval, size=samples // REFRACTORY + 4).clip(REFRACTORY)
        peaks = np.rint(start + np.concatenate(([0.0], np.cumsum(steps)))).astype(int)
        for peak in peaks:
            beat = model.beat + (random.normal(size=COMPONENTS) * model.spread) @ model.components
            records[place] += placed(beat, [int(peak)], shape)
        level = random.multivariate_normal(model.level, model.level_covariance, method="cholesky")
        for lead in range(leads):
            phases = np.exp(1j * random.uniform(0, 2 * np.pi, size=samples // 2 + 1))
            noise = np.fft.irfft(model.spectrum[lead] * phases, samples)
            drift = _line(random.normal(0, model.drift[lead], size=KNOTS), samples)
            records[place, lead] += level[lead] + drift + noise
    return np.rint(records).astype(np.int16)


def leak(good: NDArray[np.int16], original: NDArray[np.int16], random: np.random.Generator) -> NDArray[np.int16]:
    """Replace some records by exact and near copies of different original records, then shuffle."""
    leaky = good.copy()
    sources = random.choice(len(original), EXACT_COPIES + NEAR_COPIES, replace=False)
    copies = original[sources].astype(np.float64)
    copies[EXACT_COPIES:] += random.normal(0, NEAR_NOISE, size=copies[EXACT_COPIES:].shape)
    leaky[: len(copies)] = np.rint(copies).astype(np.int16)
    return random.permutation(leaky)


def r_peaks(lead: Floats) -> list[int]:
    """Find the R peaks of a lead on its level: highest sample of each stretch above half the greatest height."""
    above = np.flatnonzero(lead > HALF_HEIGHT * lead.max())
    stretches = np.split(above, np.flatnonzero(np.diff(above) > 1) + 1)
    peaks: list[int] = []
    for stretch in stretches:
        peak = int(stretch[np.argmax(lead[stretch])])
        if not peaks or peak - peaks[-1] >= REFRACTORY:
            peaks.append(peak)
    return peaks


def placed(beat: Floats, peaks: list[int], shape: tuple[int, ...]) -> Floats:
    """Add one beat, leads joined, at each peak of an empty record (leads, samples); its ends fade to zero."""
    leads, samples = shape
    margin = BEFORE + AFTER
    record = np.zeros((leads, samples + 2 * margin))
    fade = np.minimum(1, np.minimum(np.arange(BEFORE + AFTER), np.arange(BEFORE + AFTER)[::-1]) / 20)
    waves = beat.reshape(leads, -1) * fade
    for peak in peaks:
        if -AFTER <= peak < samples + BEFORE:
            start = margin + peak - BEFORE
            record[:, start : start + BEFORE + AFTER] += waves
    return record[:, margin : margin + samples]


def _knots(lead: Floats) -> Floats:
    return np.array([np.median(part) for part in np.array_split(lead, KNOTS)])


def _line(knots: Floats, samples: int) -> Floats:
    ends = np.linspace(0, samples, KNOTS + 1)
    middles = [(low + high) / 2 for low, high in itertools.pairwise(ends)]
    return np.interp(np.arange(samples), middles, knots)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the two synthetic sets of ECG records from original.npz.")
    parser.add_argument("folder", type=Path, help="where original.npz is and the others go")
    main(parser.parse_args().folder)
