/* Sinter from C: a softmax along rows, built node by node and run on tensors of the program's own. */
#include <math.h>
#include <sinter/sinter.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the library's message where a call has failed. */
static void check(sinter_status status) {
  if (status == sinter_ok) return;
  fprintf(stderr, "%s: %s\n", sinter_status_name(status), sinter_last_message());
  exit(1);
}

static sinter_value apply(sinter_builder* builder, const char* name, sinter_value a, sinter_value b) {
  const sinter_value operands[] = {a, b};
  sinter_value result;
  check(sinter_builder_apply(builder, name, operands, b == 0 ? 1 : 2, &result));
  return result;
}

/* exp(x * scale - max) / sum, with the scale as a scalar of each call. */
static sinter_function* build_softmax(void) {
  sinter_builder* builder;
  sinter_value x, scale, largest, total;
  sinter_function* softmax;
  const int32_t last_axis = -1, keepdims = 1;
  check(sinter_builder_create(sinter_standard, &builder));
  check(sinter_builder_name(builder, "softmax"));
  check(sinter_builder_input(builder, sinter_float32, 2, &x));
  check(sinter_builder_parameter(builder, sinter_float32, 1, &scale));
  const sinter_value scaled = apply(builder, "multiply", x, scale);
  check(sinter_builder_reduce(builder, "max", scaled, &last_axis, 1, keepdims, &largest));
  const sinter_value power = apply(builder, "exp", apply(builder, "subtract", scaled, largest), 0);
  check(sinter_builder_reduce(builder, "sum", power, &last_axis, 1, keepdims, &total));
  check(sinter_builder_output(builder, apply(builder, "true_divide", power, total)));
  check(sinter_builder_finish(builder, &softmax));
  sinter_builder_destroy(builder);
  return softmax;
}

enum { rows = 3, columns = 4 };

int main(void) {
  sinter_function* const softmax = build_softmax();

  /* A tensor has DLPack's fields. Without strides it is row-major. */
  float x[rows][columns], y[rows][columns];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) x[i][j] = (float)(i * j);
  int64_t shape[] = {rows, columns};
  const sinter_dlpack_type float32 = {2, 32, 1};
  const sinter_device cpu = {sinter_cpu, 0};
  const sinter_tensor from = {x, cpu, 2, float32, shape, NULL, 0}, to = {y, cpu, 2, float32, shape, NULL, 0};

  /* The result is written where the target says. */
  const sinter_operand operand = {&from, NULL}, target = {&to, NULL};
  const sinter_scalar scale = sinter_of_real(0.5);
  sinter_arguments arguments = {.size = sizeof arguments,
                                .operands = &operand,
                                .operand_count = 1,
                                .scalars = &scale,
                                .scalar_count = 1,
                                .into = &target,
                                .into_count = 1};
  check(sinter_call(softmax, &arguments, NULL, 0));

  /* Without targets there is a new array for each result. */
  sinter_array* made;
  float copy[rows][columns];
  arguments.into_count = 0;
  check(sinter_call(softmax, &arguments, &made, 1));
  check(sinter_array_read(made, copy, sizeof copy));
  sinter_array_destroy(made);
  sinter_function_destroy(softmax);

  for (int i = 0; i < rows; ++i) {
    float total = 0;
    for (int j = 0; j < columns; ++j) total += expf(0.5f * x[i][j]);
    for (int j = 0; j < columns; ++j) {
      const float expected = expf(0.5f * x[i][j]) / total;
      if (fabsf(y[i][j] - expected) > 1e-6f || copy[i][j] != y[i][j]) {
        fprintf(stderr, "row %d, column %d is %g, not %g\n", i, j, (double)y[i][j], (double)expected);
        return 1;
      }
    }
  }
  printf("softmax by Sinter %s\n", sinter_version_text());
  return 0;
}
