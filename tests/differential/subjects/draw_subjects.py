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

# What draws each subject, and how often it is drawn beside the others.
WEIGHTED = {
    "short_rows": (draw_short_rows, 30),
    "pairs": (draw_pairs, 20),
    "stencils": (draw_stencils, 20),
    "transposed": (draw_transposed, 15),
    "several_axes": (draw_several_axes, 15),
    "bodies": (draw_bodies, 20),
    "combining": (draw_combining, 15),
    "parts": (draw_parts, 25),
    "random": (draw_random, 10),
    "searches": (draw_searches, 10),
    "scatters": (draw_scatters, 15),
    "stencil_calls": (draw_stencil_calls, 15),
    "order": (draw_order, 15),
    "products": (draw_products, 15),
    "elements": (draw_bodies_with_elements, 20),
}
SUBJECTS = {name: draw for name, (draw, _) in WEIGHTED.items()}
SUBJECT_WEIGHTS = [weight for _, weight in WEIGHTED.values()]
SHARE = 1 / 8


def subject_of(seed):
    """The subject of a seed's program, or None. It takes no number from the generator that draws the program, so that
    seeds without a subject draw what they drew before there were subjects."""
    draw = random.Random(f"subject {seed}")
    return draw.choices(list(SUBJECTS), SUBJECT_WEIGHTS)[0] if draw.random() < SHARE else None
