#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/nest/axis_digits.hpp>
#include <sinter/codegen/print/argument_text.hpp>
#include <sinter/codegen/print/complex_text.hpp>
#include <sinter/codegen/print/text/text_buffer.hpp>

namespace sinter::inline v0::codegen {
namespace {

/// Appends how a field of the argument block is declared.
void declare(const kernel_pattern& body, const argument_field& field, text_buffer& text) {
  using enum argument_field::kind;
  const std::string name = name_of(field);
  switch (field.what) {
    case pointer: {
      const access_pattern& at = body.accesses[field.index];
      return text.put(at.is_written() ? "" : "const ", facts_of(at.type).storage, "* ", name);
    }
    case parameter:
      return text.put("alignas(8) ", facts_of(static_cast<element_type>(field.axis)).storage, " ", name);
    case divisor:
    case row:
    case term_divisor:
    case term_modulus:
      return text.put("divisor ", name);
    case divisors:
      return text.put("divisor ", name, "[", std::int64_t{field.axis}, "]");
    case strides:
      return text.put("long long ", name, "[",
                      std::int64_t{axis_digits(body, field.axis == 1).shared_count()}, "]");
    case fault:
      return text.put("long long* ", name);
    case function:
      return text.put("void* ", name);
    case read_once:
    case read_again:
      return text.put("unsigned long long ", name);
    default:
      return text.put("long long ", name);
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
