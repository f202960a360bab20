"""What a program may be about, as people write it first; other programs grow by drawn steps alone."""

import random

from ..bodies.draw_bodies import draw_bodies
from ..bodies.draw_combining import draw_combining
from ..bodies.draw_sources import draw_bodies_with_elements
from ..parts.draw_order import draw_order
from ..parts.draw_parts import draw_parts
from ..parts.draw_products import draw_products
from ..parts.draw_scatters import draw_scatters
from ..parts.draw_searches import draw_searches
from ..parts.draw_stencil_calls import draw_stencil_calls
from .draw_pairs import draw_pairs
from .draw_random import draw_random
from .draw_several_axes import draw_several_axes
from .draw_short_rows import draw_short_rows
from .draw_stencils import draw_stencils
from .draw_transposed import draw_transposed

SUBJECTS = {
    "short_rows": draw_short_rows,
    "pairs": draw_pairs,
    "stencils": draw_stencils,
    "transposed": draw_transposed,
    "several_axes": draw_several_axes,
    "bodies": draw_bodies,
    "combining": draw_combining,
    "parts": draw_parts,
    "random": draw_random,
    "searches": draw_searches,
    "scatters": draw_scatters,
    "stencil_calls": draw_stencil_calls,
    "order": draw_order,
    "products": draw_products,
    "elements": draw_bodies_with_elements,
}
SUBJECT_WEIGHTS = [30, 20, 20, 15, 15, 20, 15, 25, 10, 10, 15, 15, 15, 20]
SHARE = 1 / 8


def subject_of(seed):
    """The subject of a seed's program, or None. It takes no number from the generator that draws the program, so that
    seeds without a subject draw what they drew before there were subjects."""
    draw = random.Random(f"subject {seed}")
    return draw.choices(list(SUBJECTS), SUBJECT_WEIGHTS)[0] if draw.random() < SHARE else None
