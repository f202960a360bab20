#include "errors.hpp"

#include <sinter/sinter.hpp>

namespace tensors {

formula_error::formula_error(kind what, std::string_view formula, std::size_t position,
                             const std::string& message)
    : error(message + "\n  " + std::string(formula) + "\n  " + std::string(position, ' ') + '^'),
      kind_(what),
      position_(position) {}

void rethrow() {
  try {
    throw;
  } catch (const sinter::out_of_memory& caught) {
    throw out_of_memory(caught.what());
  } catch (const sinter::error& caught) {
    throw error(caught.what());
  }
}

void rethrow(std::string_view formula, std::size_t position) {
  try {
    throw;
  } catch (const sinter::shape_error& caught) {
    throw formula_error(formula_error::kind::shape, formula, position, caught.what());
  } catch (const sinter::type_error& caught) {
    throw formula_error(formula_error::kind::type, formula, position, caught.what());
  } catch (...) {
    rethrow();
  }
}

}  // namespace tensors
