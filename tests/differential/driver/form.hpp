// A program written as C++ (cpp_forms/): what the text that is compiled includes, and what the driver finds
// in it.
#pragma once

#include <sinter/complex.hpp>
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "external_functions.hpp"

namespace differential {

/// The memory that a form computes with: its arrays, then its parameters, of rank 0. `targets` is empty where
/// results are allocated.
struct form_operands {
  std::span<const sinter::any_view> inputs, targets;
};

/// Runs a form; returns its results unless they were written to targets.
using form_function = std::vector<sinter::any_array> (*)(const form_operands&);

struct named_form {
  const char* identifier;
  form_function run;
};

/// A parameter of a form.
template <class T>
T number_in(const sinter::any_view& memory) {
  return *static_cast<const T*>(memory.data());
}

/// Results of a call as a list.
template <class T, unsigned Rank>
std::vector<sinter::any_array> list_of(sinter::array<T, Rank>&& result) {
  std::vector<sinter::any_array> list;
  list.emplace_back(std::move(result));
  return list;
}
template <class... Arrays>
std::vector<sinter::any_array> list_of(std::tuple<Arrays...>&& results) {
  std::vector<sinter::any_array> list;
  std::apply([&list](Arrays&... arrays) { (list.emplace_back(std::move(arrays)), ...); }, results);
  return list;
}

}  // namespace differential

/// What a library of forms exports: its forms, and one with a null identifier behind the last.
extern "C" const differential::named_form* differential_forms();
