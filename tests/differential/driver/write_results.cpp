#include "write_results.hpp"

#include <algorithm>
#include <exception>
#include <vector>

#include "device_memory.hpp"

namespace differential {
namespace {

std::string error_line(const std::string& kind, std::string message) {
  std::ranges::replace(message, '\n', ' ');
  return "error " + kind + " " + message + "\n";
}

/// Calls `visit` with the place of each element, in row-major order.
template <class Visit>
void for_each_element(const sinter::any_view& of, const Visit& visit) {
  const auto size = static_cast<std::int64_t>(sinter::size_of(of.type()));
  std::vector<std::int64_t> position(of.rank());
  for (std::int64_t left = of.size(); left != 0; --left) {
    std::int64_t offset = 0;
    for (unsigned axis = 0; axis < of.rank(); ++axis) offset += position[axis] * of.strides()[axis];
    visit(static_cast<char*>(of.data()) + offset * size);
    for (unsigned axis = of.rank(); axis-- > 0;) {
      if (++position[axis] < of.shape()[axis]) break;
      position[axis] = 0;
    }
  }
}

}  // namespace

std::string first_line(std::int64_t microseconds, std::size_t outputs) {
  return "ok " + std::to_string(microseconds) + " " + std::to_string(outputs) + "\n";
}

void append_shape(std::string& answer, sinter::element_type type, std::span<const std::int64_t> extents) {
  answer += std::string(sinter::facts_of(type).name) + " " + std::to_string(extents.size());
  for (std::int64_t extent : extents) answer += " " + std::to_string(extent);
  answer += "\n";
}

void append_view(std::string& answer, const sinter::any_view& from) {
  append_shape(answer, from.type(), from.shape());
  append_elements(answer, from);
}

void append_elements(std::string& answer, const sinter::any_view& from) {
  for_each_element(from, [&](const char* element) { answer.append(element, sinter::size_of(from.type())); });
}

void store_elements(std::string_view elements, const sinter::any_view& to) {
  for_each_element(
      to, [&](char* element) { elements.remove_prefix(elements.copy(element, sinter::size_of(to.type()))); });
}

void append_array(std::string& answer, const sinter::any_array& from) {
  append_shape(answer, from.type(), from.shape());
  append_from_device(answer, from.data(),
                     static_cast<std::size_t>(from.size()) * sinter::size_of(from.type()));
}

std::string describe_exception() {
  try {
    throw;
  } catch (const sinter::shape_error& error) {
    return error_line("shape_error", error.what());
  } catch (const sinter::type_error& error) {
    return error_line("type_error", error.what());
  } catch (const sinter::compile_error& error) {
    return error_line("compile_error", error.what() + std::string(" LOG ") + std::string(error.log()));
  } catch (const sinter::error& error) {
    return error_line("sinter_error", error.what());
  } catch (const std::exception& error) {
    return error_line("std", error.what());
  }
}

}  // namespace differential
