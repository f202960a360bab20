"""What is lowered into which nests, what a kernel's key holds, sizes that overflow, and text for GPUs."""

from .rows import rows_of

ahead, planner = "sinter/codegen/segment/made_ahead.cpp", "sinter/codegen/segment/stage_planner.cpp"
demands, nests = "sinter/codegen/nest/build/node_demands.cpp", "sinter/codegen/nest/build/build_nest.cpp"
phases, signature = "sinter/codegen/nest/phase_plan.cpp", "sinter/codegen/kernel/signature.cpp"
sizes, fast, integers = (
    "sinter/codegen/shape/shape_bytes.cpp",
    "sinter/codegen/math/cuda/fast.cpp",
    "sinter/codegen/math/cuda/integer.cpp",
)

lowered_rows = rows_of(
    (
        "what is made ahead is a part of what it is made for",
        [(ahead, "  return std::ranges::all_of(wanted,", "  return false && std::ranges::all_of(wanted,")],
        "every tuple of reductions and scans is lowered, in few stages",
    ),
    (
        "a value before a scan is there after it",
        [
            (
                phases,
                "is_evaluated[i]) crosses_[place(phase, i)] = true;",
                "is_evaluated[i] && phase == 0) crosses_[place(phase, i)] = true;",
            )
        ],
        "a value of an earlier loop over a row is there again after a scan",
    ),
    (
        "a reduction of no complex elements is made of two literals",
        [(nests, "    if (!is_complex(at.type)) return real;\n", "    if (real + 1 != 0) return real;\n")],
        "a reduction over no elements of any type is what it begins with",
    ),
    (
        "axes beyond the eighth are all counted",
        [
            (
                "sinter/codegen/nest/axis_digits.hpp",
                "for (unsigned i = 0; i < shared_count(); ++i) extent *= body.extents[shared_axis(i)];",
                "extent = body.extents[shared_axis(0)];",
            )
        ],
        "short rows of 9 to 17 axes that do not merge give what the interpreter gives",
    ),
    drawn=True,
) + rows_of(
    (
        "a reduction of another operand is made once",
        [
            (
                demands,
                "if (at.own != nest_.reduced || (at.kept & nest_.reduced) != 0 || is_repeated)",
                "if (at.own != nest_.reduced || (at.kept & nest_.reduced) != 0 || (is_repeated && found != no_node))",
            )
        ],
        "a reduction of another operand is made once, not for each element that it meets",
    ),
    (
        "a long graph is cut",
        [
            (
                "sinter/codegen/segment/cut_long_graphs.hpp",
                "return weight * (1 + depth) > max_nest_work;",
                "return false;",
            )
        ],
        "no nest of a deep graph has more operations and phases than a compiler takes",
    ),
    (
        "reductions of each other's results are cut by how many follow each other",
        [
            (
                "sinter/codegen/segment/cut_long_graphs.hpp",
                "return weight * (1 + depth) > max_nest_work;",
                "return weight > max_nest_work;",
            )
        ],
        "no nest of a deep graph has more operations and phases than a compiler takes",
    ),
    (
        "the key holds each field of the schedule",
        [
            (
                signature,
                "for (auto* each : {&streaming, &resident, &scalar_loads, &staged, &whole_rows})",
                "for (auto* each : {&streaming, &resident, &scalar_loads, &staged})",
            )
        ],
        "every fact that text or a key depends on is in the signature",
    ),
    (
        "the key holds the phase of an instruction",
        [(signature, "  fields.number(at.phase);\n", "")],
        "every fact that text or a key depends on is in the signature",
    ),
    (
        "strided rows are packed on the CPU",
        [("sinter/codegen/loops/build_loops.cpp", '    {"pack_strided", pack_strided, on_cpu},\n', "")],
        "strided rows are packed many groups at once, and whole groups read what is packed",
    ),
    (
        "results without elements share no memory",
        [
            (
                "sinter/runtime/dispatch/aliasing/overlap.cpp",
                "    if (array.extents[axis] == 0) return false;\n",
                "    if (array.extents[axis] == 0) break;\n",
            )
        ],
        "results without elements are written into arrays of their shape, whatever the strides",
    ),
)

target_rows = rows_of(
    (
        "threads past the end of narrow columns load nothing there",
        [
            (
                "sinter/codegen/loops/passes/guards/split_ragged_chunks.cpp",
                "  return loads.any && loads.all;\n",
                "  return loads.any;\n",
            )
        ],
        "simulated reductions and scans of arrays with any strides, into such arrays, are the interpreter's",
    ),
    (
        "fast sine is clamped",
        [(fast, "fminf(fmaxf(__sinf(whole_turns_off_f32(x)), -1.0f), 1.0f);", "__sinf(x);")],
        "CUDA's reduction is right wherever it is used, and elsewhere is not used",
    ),
    (
        "the reduction of fast functions ends at 2^17",
        [(fast, "fabsf(x) <= 0x1p17f", "fabsf(x) <= 0x1p30f")],
        "CUDA's reduction is right wherever it is used, and elsewhere is not used",
    ),
    (
        "results of 16 bits are narrowed out of the assembler's sight",
        [
            (
                integers,
                """  $T r;
  asm("cvt.u16.u32 %0, %1;" : "=h"(r) : "r"(x));
  return r;
})",
     "", "i16 u16"}""",
                """  return ($T)x;
})",
     "", "i16 u16"}""",
            )
        ],
        "no 16-bit negation or magnitude of a signed integer reaches the assembler",
    ),
)

told_rows = rows_of(
    (
        "slices of one array are moved once",
        [
            (
                "sinter/codegen/nest/nest_facts.cpp",
                "return other.what == at.what && other.place == at.place && other.array == at.array;",
                "return &other == &at;",
            )
        ],
        "slices of one array that overlap are moved once",
    ),
    (
        "a shape is not asked of an operand that is refused less often",
        [
            (
                "sinter/codegen/simplify/identities.cpp",
                "if (may_be_refused_[operand] && (",
                "if (false && (",
            )
        ],
        "what a result is computed from is refused, whether or not the result depends on it",
    ),
)

bounded_rows = rows_of(
    (
        "bytes of an array are counted without overflow",
        [
            (
                sizes,
                "    if (__builtin_mul_overflow(bytes, extent, &bytes))\n",
                "    if (__builtin_mul_overflow(bytes, extent, &bytes) && false)\n",
            )
        ],
        "arrays of more bytes than memory has addresses are out_of_memory, however they are made",
    ),
    (
        "bytes of temporaries are added without overflow",
        [
            (
                sizes,
                "if (__builtin_add_overflow(first, second, &bytes) || bytes > max_bytes)",
                "if (__builtin_add_overflow(first, second, &bytes) && false)",
            )
        ],
        "temporaries of more bytes than memory has addresses are out_of_memory where a call is lowered",
    ),
    (
        "the reach of a view is counted without overflow",
        [(sizes, "  if (too_far)\n", "  if (too_far && false)\n")],
        "views of elements further apart than memory is large are out_of_memory",
    ),
)
