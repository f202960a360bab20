"""Means of ratios with bounds, as bench/statistics.cpp computes them: on logarithms, by Student's t."""
import math

FEW = (math.inf, 6.3138, 2.9200, 2.3534, 2.1318)  # of one to four degrees of freedom, where the expansion is too rough


def student_95(degrees):
    """The 95% quantile (Abramowitz and Stegun 26.7.5)."""
    if degrees < len(FEW):
        return FEW[int(degrees)]
    z, n = 1.6448536269514722, degrees
    return (z + (z ** 3 + z) / (4 * n) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * n ** 2) +
            (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * n ** 3))


def mean_and_error(values):
    """The mean of the logarithms and the square of its standard error."""
    logs = [math.log(value) for value in values]
    mean = sum(logs) / len(logs)
    spread = sum((log - mean) ** 2 for log in logs) / max(1, len(logs) - 1)
    return mean, spread / len(logs)


def bounded(mean, error, degrees):
    half = student_95(degrees) * math.sqrt(error) if degrees >= 1 else 0.0
    return {"mean": math.exp(mean), "low": math.exp(mean - half), "high": math.exp(mean + half)}


def ratio_of_pairs(above, below):
    """The mean ratio of paired samples with its one-sided 95% bounds."""
    mean, error = mean_and_error([a / b for a, b in zip(above, below)])
    return bounded(mean, error, min(len(above), len(below)) - 1)


def ratio_of_two(above, below):
    """The same of samples that were not taken in turns (Welch)."""
    (mean_a, error_a), (mean_b, error_b) = mean_and_error(above), mean_and_error(below)
    error = error_a + error_b
    parts = error_a ** 2 / max(1, len(above) - 1) + error_b ** 2 / max(1, len(below) - 1)
    return bounded(mean_a - mean_b, error, max(1, error ** 2 / parts) if parts else min(len(above), len(below)) - 1)


def quantile(values, share):
    """Of sorted values."""
    return values[min(len(values) - 1, int(share * len(values)))]


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
