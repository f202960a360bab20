"""Random numbers that are the same for the same name, on every machine and in every version of Python."""
import hashlib
import math

MASK = (1 << 64) - 1


class Draws:
    """splitmix64, seeded with a name."""

    def __init__(self, name):
        self.state = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound):
        return self.bits() % bound

    def between(self, low, high):
        """An integer from low to high, both included."""
        return low + self.below(high - low + 1)

    def real(self):
        """In [0, 1)."""
        return (self.bits() >> 11) * 2.0 ** -53

    def chance(self, percent):
        return self.below(100) < percent

    def pick(self, of):
        return of[self.below(len(of))]

    def weighted(self, weights):
        """A key of a dictionary of whole weights."""
        at = self.below(sum(weights.values()))
        for key, weight in weights.items():
            at -= weight
            if at < 0:
                return key
        raise AssertionError("weights are whole and positive")

    def shuffled(self, of):
        made = list(of)
        for last in range(len(made) - 1, 0, -1):
            other = self.below(last + 1)
            made[last], made[other] = made[other], made[last]
        return made

    def count_to(self, most):
        """From 1 to `most`, each doubling as likely as the next."""
        return min(most, int(math.exp(self.real() * math.log(most + 1))))
