"""What mutations.py changes in what is lowered, emitted and typed, and the tests that must then fail.

Rows are those of machinery.py. `drawn` is set where a value on the CPU changes. tables/ has the rows of other subjects.
"""

from tables.arithmetic import mode_rows, special_rows
from tables.front_end import front_rows, refused_rows
from tables.lifetimes import life_rows
from tables.lowering import bounded_rows, lowered_rows, target_rows, told_rows
from tables.reductions import masked_rows, zero_rows

functions, guards = "sinter/codegen/math/instruction_function.cpp", "sinter/codegen/math/assembler_guards.cpp"
conversions, texts = "sinter/codegen/math/common/conversion.cpp", "sinter/codegen/print/instruction_text.cpp"
builder, inference = "sinter/codegen/graph/graph_builder.cpp", "sinter/codegen/shape/shape_inference.cpp"
rules = "sinter/codegen/types/type_rules.hpp"

bounds = "a reduction's combine takes no bound for its operand, whichever instruction a literal is"
forms = "no PTX of trees of integer operations has a form that the assembler evaluates wrongly"
casts = "conversions between all types round once, in every place of an array"
powers = "a negative integer power of an integer is refused in every door"


def of(*rows, drawn=False):
    return [
        {"what": what, "changes": changes, "test": test, "program": "sinter_tests", "drawn": drawn}
        for what, changes, test in rows
    ]


value_rows = of(
    (
        "a reduction's combine takes no literal for a bound",
        [
            (
                functions,
                "  if (row.spelling.empty()) applied.function = function_name(kernel, row.name, type);\n",
                "  if (row.spelling.empty()) applied.function = function_name(kernel, row.name, type);\n"
                "  if (!applied.function.empty() && kernel.body.body.size() > 1 && is_stated_bound(kernel.body, 1)) {\n"
                '    const std::string bounded = function_name(kernel, std::string(row.name) + "_bound", type);\n'
                "    if (find_device_function(bounded, text_target_of(kernel), text_mode_of(kernel)) != nullptr)\n"
                "      applied.function = bounded;\n"
                "  }\n",
            )
        ],
        bounds,
    ),
    (
        "bfloat16 is rounded once, not through float32",
        [(texts, "if (has(once)) return load", "if (has(once) && to != element_type::bfloat16) return load")],
        casts,
    ),
    (
        "the sticky bit of wide integers, above what double drops",
        [
            (
                conversions,
                "(bits & ~($U)4095) | ((bits & 4095) != 0 ? ($U)2048",
                "(bits & ~($U)2047) | ((bits & 2047) != 0 ? ($U)1024",
            )
        ],
        casts,
    ),
    drawn=True,
)

guard_rows = of(
    (
        "results of 16-bit sums are narrowed",
        [(guards, '    {assembler_guard::place::result, "i16 u16", sums, "narrow", false},\n', "")],
        forms,
    ),
    (
        "narrow operands of comparisons are widened",
        [
            (
                guards,
                '    {assembler_guard::place::operands, "i8 i16 u8 u16", comparisons, "widened", true},\n',
                "",
            )
        ],
        forms,
    ),
    (
        "computed operands of comparisons beside choices are held",
        [
            (
                guards,
                '    {assembler_guard::place::computed_operands, "i32 u32 i64 u64", comparisons, "held", true},\n',
                "",
            )
        ],
        forms,
    ),
    (
        "the second operand of narrow minima is held where it is computed",
        [
            (
                guards,
                'narrow_extremes, "held", false}',
                'std::span<const operation>(narrow_extremes).first(0), "held", false}',
            )
        ],
        forms,
    ),
    (
        "computed operands of minima are held",
        [
            (
                guards,
                '"i32 u32 i64 u64", extremes, "held", false}',
                '"i32 u32 i64 u64", std::span<const operation>(extremes).first(0), "held", false}',
            )
        ],
        forms,
    ),
)

type_rows = of(
    (
        "a negative literal power is refused",
        [
            (
                builder,
                "else if (!fits(exponent.type, exponent.payload, element_type::uint64))",
                "else if (false)",
            )
        ],
        powers,
    ),
    (
        "a negative power that a call gives is refused",
        [
            (
                builder,
                "    add_limit(graph_.parameter_limits, exponent.payload, element_type::uint64);\n",
                "    return;\n",
            )
        ],
        powers,
    ),
    (
        "a negative power that is computed from scalars is refused",
        [(builder, "    add_limit(graph_.derived_limits, id, element_type::uint64);\n", "    return;\n")],
        powers,
    ),
    (
        "a refused power is named with its operands",
        [(inference, "if (!refused.empty()) throw type_error(refused);", "")],
        powers,
    ),
    (
        "of three operands a strong integer stays one beside a weak float",
        [
            (
                rules,
                "if (count == 3 && !own.weak && !is_inexact(own.type)",
                "if (count > 3 && !own.weak && !is_inexact(own.type)",
            )
        ],
        "three operands have one type in every door, whichever are scalars",
    ),
)

groups = [
    ("Values", value_rows),
    ("What the assembler must not see", guard_rows),
    ("Types and what is refused", type_rows + refused_rows),
    ("Empty and masked rows", masked_rows),
    ("Signs of zeros", zero_rows),
    ("Special values", special_rows),
    ("The caller's arithmetic", mode_rows),
    ("Destructors that compute", life_rows),
    ("Lowering and keys", lowered_rows + told_rows),
    ("Kernels for GPUs", target_rows),
    ("Sizes", bounded_rows),
    ("Front ends", front_rows),
]

unseen = """- Whether a kernel for GPUs without its guards is wrong on a card: the test reads its PTX. `gpu-check sweeps` runs the trees.
- Maxima that the CPU's compiler makes of choices of halves: without `fmaxf` among the functions that kernels are linked with
  (`support_source.inc`) the tests pass, because the compiler that is used now makes none.
- Operators that take a C++ bool: without them `tests/dsl/mixed_operands_test.cpp` does not compile.
- The order of combining in reductions, which a schedule chooses: results are compared within bounds.
- Where scans overflow: the mend said in the guide in which order elements are combined, and changed no source.
- Lanes that were read before they were written, on the CPU: the builder of the loops that did so is gone.
- The state of a call beside that of a call within it (`state_guard`): no test fails without it yet.
- A constant that nothing reads in a kernel's arguments: they are listed by the instructions that read them.
- Launches that leave a device idle: the cost model chooses now; `tests/schedule/launch_fill_test.cpp` tests what it chooses.
- What is installed, linked and packed: `tests/outside` builds programs against an installation, which no row does.
- A thread's key that is taken back when its library is unloaded: `libsinter.so` stays in the process, so only a static build
  of a library would lose it.
"""
