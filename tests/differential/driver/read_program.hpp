// The text of a program:
//
//   program ID MODE VARIANT       MODE: standard, strict, fast; VARIANT: fused, unfused (a kernel for each
//                                 value), call (runtime::call), general (the kernels for every layout), quick
//                                 (quick_first)
//   buffer BYTES ...              numbered from 0; the rest of the line is not read
//   input BUFFER TYPE BYTE_OFFSET RANK EXTENT... STRIDE...
//   literal TYPE HEX WEAK         HEX: the value's bits; WEAK: 1 for a scalar that takes the type of its
//                                 partner
//   param TYPE HEX WEAK           a scalar parameter of the call
//   apply OPERATION VALUE...
//   extern NAME VALUE...               a call of a function of external_functions.hpp
//   cast VALUE TYPE
//   reduce OPERATION VALUE AXES KEEP
//   scan OPERATION VALUE AXIS
//   coordinate VALUE AXIS
//   extent VALUE AXIS
//   random DISTRIBUTION TYPE VALUE...  what numbers are drawn like, the distribution's numbers, seed,
//   sequence view VALUE COUNT ITEM...      s:START:STOP:STEP (_ absent, pN parameter N), i:POSITION, n (new
//   axis),
//                                 p:AXIS
//   repeat STATES COUNT STATE... CAPTURED...
//   repeat_while STATES STATE... CAPTURED...
//   when CONDITION CAPTURED...
//   reduce_by COUNT AXES KEEP ORDERED VALUE... IDENTITY... CAPTURED...
//                                 COUNT values and as many identities, combined by a body
//   scan_by COUNT AXIS VALUE... IDENTITY... CAPTURED...
//   component VALUE NUMBER        a result of a line with bodies, which is itself its first result
//   extended VALUE FIRST EXTENT AXIS RULE
//                                 RULE: broadcast, edge, reflect, wrap, repeat; the integers of this line and
//                                 those below are values of rank 0
//   concatenate VALUE VALUE AXIS
//   gather VALUE VALUE AXIS RULE  RULE: checked, guarded (the same, with indices out of range that are not
//   used),
//                                 wrap, clip
//   window VALUE EXTENT AXIS
//   diagonal VALUE OFFSET AXIS AXIS
//   merged VALUE AXIS
//   split VALUE EXTENT AXIS WHOLE
//   searchsorted SORTED VALUE SIDE
//                                 SIDE: left, right
//   interp BEYOND X POINTS VALUES [LEFT] [RIGHT]
//                                 BEYOND: none, left, right, both: which of the last two values are there
//   scatter BASE INDEX UPDATES AXIS COMBINE RULE
//                                 COMBINE: add, minimum, maximum, last; RULE: reported, dropped, counted
//   bincount VALUE [WEIGHTS] N
//   histogram EDGES VALUE LOW HIGH [WEIGHTS] BINS
//                                 EDGES: the type of the edges
//   histogram2d X Y LOW HIGH LOW HIGH [WEIGHTS] BINS BINS
//   segment RESULT AXIS VALUE SEGMENTS N
//                                 RESULT: sum, minimum, maximum, mean
//   nonzero VALUE
//   compress VALUE MASK
//   stencil diff AXIS ORDER VALUE
//   stencil gradient AXIS ENDS VALUE SPACING
//                                 ENDS: 1, 2
//   stencil trapezoid AXIS 0 VALUE SPACING
//   stencil convolve AXIS MODE VALUE KERNEL
//   stencil correlate AXIS MODE VALUE KERNEL
//                                 MODE: 0 (full), 1 (same), 2 (valid)
//   order argsort AXIS 0 VALUE
//   order sort AXIS 0 VALUE
//   order sort_values AXIS 0 KEYS VALUES
//   order top_positions AXIS COUNT VALUE
//   order top_elements AXIS COUNT VALUE
//   order median AXIS 0 VALUE
//   order quantile AXIS 0 VALUE FRACTIONS
//   order first_of_equal 0 0 VALUE
//   order unique 0 0 VALUE
//   order permutation 0 0 COUNT SEED SEQUENCE
//   order shuffled AXIS 0 VALUE SEED SEQUENCE
//   output VALUE [into BUFFER TYPE BYTE_OFFSET RANK EXTENT... STRIDE...]
//   end
//
//   product matmul|dot|outer - VALUE VALUE
//   product vecdot AXIS VALUE VALUE
//   product einsum SUBSCRIPTS VALUE...
// The lines from `input` to `product` make values, numbered from 0. `when` is followed
// by two bodies, a loop, reduce_by and scan_by by one:
//
//   body                          its values are numbered from 0
//   argument TYPE RANK WEAK       an input of the body, in the order of graph_bodies.hpp
//   whole TYPE RANK               an array of which the body takes elements, in the same order
//   ...                           lines that make values, also:
//   element RULE WHOLE INDEX...   an index for each axis; RULE as of gather
//   result VALUE
//   close
//
// The bytes of all buffers follow `end`. Empty lines and lines that start with # are skipped.
#pragma once

#include <iosfwd>

#include "program.hpp"

namespace differential {

/// Reads the next program and its buffers. Returns false at the end of the input; throws if a line cannot be
/// read, after the whole program has been taken from the input.
bool read_program(std::istream& from, program& to);

}  // namespace differential
