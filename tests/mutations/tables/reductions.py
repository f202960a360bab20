"""Empty axes, rows that a mask holds back, and zeros that are sums."""

from .rows import rows_of

compositions, nests = "sinter/dsl/composed/compose_reduction.cpp", "sinter/codegen/nest/build/build_nest.cpp"
inference, builder = "sinter/codegen/shape/shape_inference.cpp", "sinter/codegen/graph/graph_builder.cpp"
shares = "softmax and log_softmax are 0 and -inf where a mask is false, in rows that it holds back whole, too"
empty = (
    "of an empty axis there is NumPy's result, or an error that names the function, the shape and the axis"
)
zeros = "a sum is never -0, and a cumulative sum is -0 where all elements up to it are, for every length"
few_zeros = "sums of a mask, of no axis and of rank 0, and means, start at 0, too"

masked_rows = rows_of(
    (
        "softmax is 0 where the mask is false",
        [
            (
                compositions,
                "return kept(divide(powers, sum(powers)), 0);",
                "return divide(powers, sum(powers));",
            )
        ],
        shares,
    ),
    (
        "log_softmax is -inf where the mask is false",
        [
            (
                compositions,
                "    return kept(subtract(distance, apply(operation::log, {sum(apply(operation::exp, {distance}))})),\n"
                "                -infinity);\n",
                "    return subtract(distance, apply(operation::log, {sum(apply(operation::exp, {distance}))}));\n",
            )
        ],
        shares,
    ),
    (
        "logsumexp of no elements is -inf",
        [
            (
                compositions,
                "largest = finite(largest_or_start(chosen));",
                "largest = finite(reduce(operation::max, chosen));",
            )
        ],
        empty,
    ),
    (
        "the infinity norm of no elements is 0",
        [
            (
                compositions,
                "{largest_or_start(absolute), zero()}",
                "{reduce(operation::max, absolute), zero()}",
            )
        ],
        empty,
    ),
    (
        "an error of an empty axis names the function that the user wrote",
        [
            (
                inference,
                "composed ? composed_function_names[reduction.attribute] : facts_of(reduction.op).name);",
                "facts_of(reduction.op).name);",
            )
        ],
        "a call's error names the composition and its line",
    ),
    (
        "an error of an empty axis names the axis",
        [(inference, 'std::to_string(axis) + " of extent 0"', 'std::to_string(axis * 0) + " of extent 0"')],
        empty,
    ),
)

zero_rows = rows_of(
    (
        "a sum of one element starts at 0",
        [
            (
                nests,
                "return from_start(at, demands_.all[demand.inputs[0]].instruction);",
                "return demands_.all[demand.inputs[0]].instruction;",
            )
        ],
        zeros,
    ),
    (
        "a sum of a few elements starts at 0",
        [
            (
                nests,
                "return is_signed ? from_start(at, made.arguments[0])",
                "return is_signed && false ? from_start(at, made.arguments[0])",
            )
        ],
        zeros,
    ),
    (
        "a sum over no axes starts at 0",
        [
            (
                builder,
                "if (starts_at_zero(op, elements.type.type))",
                "if (false && starts_at_zero(op, elements.type.type))",
            )
        ],
        few_zeros,
    ),
    drawn=True,
) + rows_of(
    (
        "a masked scan skips elements as 0",
        [(compositions, "op == operation::cumsum ? operation::sum : op;", "op;")],
        few_zeros,
    ),
    (
        "the total of a piece of a scan starts at -0",
        [("sinter/codegen/segment/pieces/split_scans.cpp", "    total.payload = starts_as_scan;\n", "")],
        zeros,
    ),
    (
        "the key holds where the total of a piece of a scan starts",
        [
            (
                "sinter/codegen/kernel/kernel_description.cpp",
                "    case operation::sum:     // starts_as_scan\n",
                "",
            )
        ],
        zeros,
    ),
)
