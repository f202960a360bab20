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

}  // namespace

std::string first_line(std::int64_t microseconds, std::size_t outputs) {
  return "ok " + std::to_string(microseconds) + " " + std::to_string(outputs) + "\n";
}

void append_shape(std::string& answer, sinter::element_type type, std::span<const std::int64_t> extents) {
  answer += std::string(sinter::facts(type).name) + " " + std::to_string(extents.size());
  for (std::int64_t extent : extents) answer += " " + std::to_string(extent);
  answer += "\n";
}

void append_view(std::string& answer, const sinter::any_view& from) {
  append_shape(answer, from.type(), from.shape());
  append_elements(answer, from);
}

void append_elements(std::string& answer, const sinter::any_view& from) {
  const std::size_t size = sinter::size_of(from.type());
  std::vector<std::int64_t> position(from.rank());
  for (std::int64_t left = from.size(); left != 0; --left) {
    std::int64_t offset = 0;
    for (unsigned axis = 0; axis < from.rank(); ++axis) offset += position[axis] * from.strides()[axis];
    answer.append(static_cast<const char*>(from.data()) + offset * static_cast<std::int64_t>(size), size);
    for (unsigned axis = from.rank(); axis-- > 0;) {
      if (++position[axis] < from.shape()[axis]) break;
      position[axis] = 0;
    }
  }
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
