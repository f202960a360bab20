#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include <sinter/codegen/print/cuda/emit_cuda_lanes.hpp>

namespace sinter::codegen {

std::string cuda_lanes::pack_of(std::uint32_t i) const {
  return fmt::format("pack<{}, {}>", storage(i), lanes(i));
}

std::string cuda_lanes::lanes_left() const {
  return columns() ? "left0 - x" : fmt::format("n - x < {0} ? (int)(n - x) : {0}", vector());
}

void cuda_lanes::elements(unsigned phase) {
  each_element_store(phase, [&](const store& made) {
    out_.line(fmt::format("pack<{}, {}> out{};", storage(made.target), vector(), made.target));
  });
  if (has_near_form(phase)) {
    tested_lanes(phase);
  } else {
    open_lanes();
    values(phase);
    sums(phase, lane_guard());
    results(phase);
    out_.close();
  }
  each_element_store(phase, [&](const store& made) { store_pack(made.target); });
}

bool cuda_lanes::has_near_form(unsigned phase) {
  text_writer text = std::exchange(out_, {});
  kernel_.range = argument_range::tested;
  kernel_.tests.clear();
  values(phase);
  kernel_.range = argument_range::any;
  out_ = std::move(text);
  return !kernel_.tests.empty();
}

void cuda_lanes::tested_lanes(unsigned phase) {
  terms_.clear();
  each_reduction(phase, [&](std::uint32_t, const instruction& made) {
    if (!is_due(phase, made)) return;
    for (unsigned a = 0; a < made.arity; ++a) {
      const std::uint32_t i = made.arguments[a];
      if (is_array(i)) continue;
      const auto evaluated = plan_.evaluated(phase);
      if (std::find(evaluated.begin(), evaluated.end(), i) != evaluated.end() &&
          std::find(terms_.begin(), terms_.end(), i) == terms_.end())
        terms_.push_back(i);
    }
  });
  for (const std::uint32_t i : terms_)
    out_.line(fmt::format("{} term{}[{}];", spelling(code(i).type), i, vector()));
  out_.line("bool near = true;");
  lanes_in(phase, argument_range::tested);
  out_.open("if (!near) {");
  lanes_in(phase, argument_range::any);
  out_.close();
  open_lanes();
  are_aside_ = true;
  sums(phase, lane_guard());
  are_aside_ = false;
  out_.close();
}

void cuda_lanes::lanes_in(unsigned phase, argument_range range) {
  kernel_.range = range;
  kernel_.tests.clear();
  open_lanes();
  values(phase);
  for (const std::uint32_t i : terms_) out_.line(fmt::format("term{0}[e] = v{0};", i));
  results(phase);
  for (const std::string& test : kernel_.tests) out_.line(fmt::format("near = near & {};", test));
  out_.close();
  kernel_.range = argument_range::any;
}

std::string cuda_lanes::term(std::uint32_t i) const {
  const bool aside = are_aside_ && std::find(terms_.begin(), terms_.end(), i) != terms_.end();
  return aside ? fmt::format("term{}[e]", i) : value(i);
}

void cuda_lanes::load(std::uint32_t i) {
  const std::string to = loaded(i);
  if (lanes(i) == 1) {
    out_.line(fmt::format("{}.e[0] = {}[{}];", to, pointer(i), index(i, "")));
    return;
  }
  if (is_wide(i)) {
    const std::string from = fmt::format("{} + ({})", pointer(i), index(i, ""));
    out_.line(is_whole() ? fmt::format("load_whole({}, {});", to, from)
                         : fmt::format("load({}, {}, {});", to, from, lanes_left()));
    return;
  }
  open_lanes();
  const std::string guard = vector() == 1 || is_whole() ? ""
                            : columns()                 ? "if (x + e < left0) "
                                                        : "if (x + e < n) ";
  out_.line(fmt::format("{}{}.e[e] = {}[{}];", guard, to, pointer(i), index(i, "e")));
  out_.close();
}

void cuda_lanes::store_pack(std::uint32_t i) {
  if (!columns()) out_.open(fmt::format("if (active{}) {{", of_row()));
  if (is_wide(i)) {
    const std::string to = fmt::format("{} + ({})", pointer(i), index(i, ""));
    out_.line(is_whole() ? fmt::format("store_whole({}, out{});", to, i)
                         : fmt::format("store({}, out{}, {});", to, i, lanes_left()));
  } else {
    open_lanes();
    const std::string guard = is_whole() ? "" : columns() ? "if (x + e < left0) " : "if (x + e < n) ";
    out_.line(fmt::format("{}{}[{}] = out{}.e[e];", guard, pointer(i), index(i, "e"), i));
    out_.close();
  }
  if (!columns()) out_.close();
}

void cuda_lanes::store_row() {
  for (const store& made : body().stores) {
    if (stores_elements(body(), made)) continue;
    const std::uint32_t i = made.target;
    const std::string text = stored_text(kernel_, at(i).type, value(made.value));
    std::vector<std::string> names(kernel_.rank());
    if (!columns()) {
      open_rows();
      out_.line(fmt::format("if (active{} && thread == 0) *{} = {};", of_row(), pointer(i), text));
      close_rows();
    } else if (is_wide(i)) {
      out_.open("if (threadIdx.y == 0 && x < left0) {");
      out_.line(fmt::format("pack<{}, {}> out{};", storage(i), vector(), i));
      open_lanes();
      out_.line(fmt::format("out{}.e[e] = {};", i, text));
      out_.close();
      names[0] = "x";
      out_.line(fmt::format("store(q{0} + ({1}), out{0}, left0 - x);", i,
                            index_expression(kernel_, at(i).group, names)));
      out_.close();
    } else {
      names[0] = "(x + e)";
      open_lanes();
      out_.line(fmt::format("if (threadIdx.y == 0 && x + e < left0) q{}[{}] = {};", i,
                            index_expression(kernel_, at(i).group, names), text));
      out_.close();
    }
  }
}

}  // namespace sinter::codegen
