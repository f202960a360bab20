"""Special values of fast mode, and results that are the same whatever arithmetic the caller has set."""

from .rows import rows_of

executor, modes = "sinter/runtime/cpu/executor.cpp", "sinter/codegen/base/default_arithmetic.hpp"
same = "results of small and large arrays are the same in every mode of the caller, which it keeps"
constants = "constants are folded, and scalars converted, in the same arithmetic whatever the caller's modes"

special_rows = rows_of(
    (
        "a power of a negative base by a fraction is NaN on the CPU",
        [
            (
                "sinter/codegen/math/cpu/power.cpp",
                ': undefined ? __builtin_nan$F("") : with_sign;',
                ": with_sign;",
            )
        ],
        "fast mode gives NaN, infinities, zeros and signs as standard mode does",
    ),
    drawn=True,
) + rows_of(
    (
        "a fast power of a negative base by a fraction is NaN in CUDA's text",
        [
            (
                "sinter/codegen/math/cuda/fast.cpp",
                "undefined ? __int_as_float(0x7fffffff) : odd",
                "undefined ? r : odd",
            )
        ],
        "CUDA's fast powers have standard mode's special values",
    )
)

mode_rows = rows_of(
    (
        "small arrays are computed in the default arithmetic",
        [
            (
                executor,
                "    const default_arithmetic modes;\n    kernel(arguments, 0, tiles);",
                "    kernel(arguments, 0, tiles);",
            )
        ],
        same,
    ),
    (
        "large arrays are computed in the default arithmetic",
        [
            (executor, "  const default_arithmetic modes;  // oneTBB", "  // oneTBB"),
            (executor, "    const default_arithmetic modes;  // a thread", "    // a thread"),
        ],
        same,
    ),
    (
        "the caller's modes are put back",
        [(modes, "if (now != then) set_vectors(then);", "static_cast<void>(now != then);")],
        same,
    ),
    (
        "constants are folded in the default arithmetic",
        [
            (
                "sinter/codegen/simplify/simplify.cpp",
                "  const default_arithmetic modes;  // constants are folded\n",
                "",
            )
        ],
        constants,
    ),
    (
        "scalars are converted in the default arithmetic",
        [
            (
                "sinter/codegen/types/scalar.cpp",
                "  const default_arithmetic modes;\n  default_arithmetic::pin(bits);",
                "  default_arithmetic::pin(bits);",
            )
        ],
        constants,
    ),
    (
        "a caller's signals are off in a kernel",
        [(modes, "set_vectors(vector_mode | (vectors_ & flags));", "set_vectors((vectors_ & 0x1fff) | 0);")],
        "a caller's signals for exceptions are off in a kernel, and on again after it",
    ),
)
