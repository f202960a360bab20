#include <fmt/format.h>

#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/print/argument_text.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/text_writer.hpp>

namespace sinter::inline v0::codegen {
namespace {

/// How a field of the argument block is declared.
std::string declaration(const nest& body, const argument_field& field) {
  using enum argument_field::kind;
  switch (field.what) {
    case pointer: {
      const access& at = body.accesses[field.index];
      return fmt::format("{}{}* p{}", at.what == access::kind::read ? "const " : "", facts(at.type).storage,
                         field.index);
    }
    case parameter:
      return fmt::format("alignas(8) {} q{}", facts(static_cast<element_type>(field.axis)).storage,
                         field.index);
    case offset:
      return fmt::format("long long o{}", field.index);
    case extent:
      return fmt::format("long long e{}", field.index);
    case stride:
      return fmt::format("long long s{}_{}", field.index, field.axis);
    case divisor:
      return fmt::format("divisor d{}", field.index);
    case divisors:
      return fmt::format("divisor {}[{}]", field.index == 0 ? "far" : "deep", field.axis);
    case strides:
      return fmt::format("long long {}{}[{}]", field.axis == 0 ? "far" : "deep", field.index,
                         axis_digits(body, field.axis == 1).shared_count());
    case constant:
      return fmt::format("long long c{}", field.index);
    case function:
      return fmt::format("void* f{}", field.index);
    case row:
      return "divisor row";
    case size:
      return "long long size";
    case piece:
      return field.index == 0 ? "long long along" : "long long across";
    case rows:
      return "long long rows";
    case elements:
      return "long long elements";
    case whole:
      return "long long whole";
    case streaming:
      return "long long streaming";
    case read_once:
      return "unsigned long long read_once";
    case read_again:
      return "unsigned long long read_again";
  }
  return {};
}

}  // namespace

std::string argument_text(const kernel_description& kernel) {
  std::vector<argument_field> fields;
  list_arguments(kernel, fields);
  text_writer out;
  out.line("struct divisor { long long value; unsigned long long multiplier; long long shift; };");
  out.open("struct arguments {");
  for (const argument_field& field : fields) out.line(declaration(kernel.body, field) + ";");
  out.close("};");
  return complex_text(kernel) + out.str();
}

}  // namespace sinter::inline v0::codegen
