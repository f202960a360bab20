#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/print/argument_text.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/text_buffer.hpp>

namespace sinter::inline v0::codegen {
namespace {

/// Appends how a field of the argument block is declared.
void declare(const nest& body, const argument_field& field, text_buffer& text) {
  using enum argument_field::kind;
  const std::int64_t index = field.index, axis = field.axis;
  switch (field.what) {
    case pointer: {
      const access& at = body.accesses[field.index];
      return text.put(at.what == access::kind::read ? "const " : "", facts(at.type).storage, "* p", index);
    }
    case parameter:
      return text.put("alignas(8) ", facts(static_cast<element_type>(field.axis)).storage, " q", index);
    case offset:
      return text.put("long long o", index);
    case extent:
      return text.put("long long e", index);
    case stride:
      return text.put("long long s", index, "_", axis);
    case divisor:
      return text.put("divisor d", index);
    case divisors:
      return text.put("divisor ", index == 0 ? "far" : "deep", "[", axis, "]");
    case strides: {
      const std::int64_t count = axis_digits(body, axis == 1).shared_count();
      return text.put("long long ", axis == 0 ? "far" : "deep", index, "[", count, "]");
    }
    case constant:
      return text.put("long long c", index);
    case function:
      return text.put("void* f", index);
    case row:
      return text.put("divisor row");
    case size:
      return text.put("long long size");
    case piece:
      return text.put(index == 0 ? "long long along" : "long long across");
    case rows:
      return text.put("long long rows");
    case elements:
      return text.put("long long elements");
    case whole:
      return text.put("long long whole");
    case streaming:
      return text.put("long long streaming");
    case read_once:
      return text.put("unsigned long long read_once");
    case read_again:
      return text.put("unsigned long long read_again");
  }
}

}  // namespace

std::string argument_text(const kernel_description& kernel) {
  std::vector<argument_field> fields;
  fields.reserve(64);
  list_arguments(kernel, fields);
  text_buffer text;
  text += "struct divisor { long long value; unsigned long long multiplier; long long shift; };\n";
  text += "struct arguments {\n";
  for (const argument_field& field : fields) {
    text += "  ";
    declare(kernel.body, field, text);
    text += ";\n";
  }
  text += "};\n";
  return complex_text(kernel).append(text.view());
}

}  // namespace sinter::inline v0::codegen
