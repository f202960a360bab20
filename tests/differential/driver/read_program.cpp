#include "read_program.hpp"

#include <sinter/codegen/graph/graph.hpp>

#include <functional>
#include <istream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace differential {
namespace {

using namespace sinter;

element_type type_named(const std::string& name) {
  for (const auto& row : element_types)
    if (row.name == name) return row.type;
  throw std::runtime_error("driver: no type " + name);
}

template <class Value>
Value take(std::istream& in) {
  Value value{};
  if (!(in >> value)) throw std::runtime_error("driver: a line is too short");
  return value;
}

layout read_layout(std::istream& in) {
  layout result;
  result.buffer = take<std::size_t>(in);
  result.type = type_named(take<std::string>(in));
  result.byte_offset = take<std::int64_t>(in);
  const auto rank = take<unsigned>(in);
  for (unsigned axis = 0; axis < rank; ++axis) result.extents.push_back(take<std::int64_t>(in));
  for (unsigned axis = 0; axis < rank; ++axis) result.strides.push_back(take<std::int64_t>(in));
  return result;
}

bound read_bound(const std::string& text) {
  if (text == "_") return {};
  if (text.starts_with('p')) return parameter_bound(static_cast<std::uint32_t>(std::stoul(text.substr(1))));
  return literal_bound(std::stoll(text));
}

view_item read_item(const std::string& text) {
  view_item item;
  if (text == "n") {
    item.what = view_item::kind::newaxis;
  } else if (text.starts_with("i:")) {
    item.what = view_item::kind::index;
    item.start = read_bound(text.substr(2));
  } else if (text.starts_with("p:")) {
    item.what = view_item::kind::permute;
    item.start = read_bound(text.substr(2));
  } else {
    std::istringstream in(text.substr(2));
    for (bound* to : {&item.start, &item.stop, &item.step}) {
      std::string part;
      std::getline(in, part, ':');
      *to = read_bound(part);
    }
  }
  return item;
}

void read_scalar(std::istream& in, value_line& to) {
  to.type = type_named(take<std::string>(in));
  in >> std::hex >> to.bits >> std::dec;
  to.weak = take<bool>(in);
}

void read_axis(std::istream& in, value_line& to) {
  to.operands = {take<unsigned>(in)};
  to.axes = take<std::uint32_t>(in);
}

void read_view(std::istream& in, value_line& to) {
  to.operands = {take<unsigned>(in)};
  for (auto left = take<unsigned>(in); left != 0; --left)
    to.items.push_back(read_item(take<std::string>(in)));
}

void read_numbers(std::istream& in, std::vector<unsigned>& to) {
  for (unsigned number = 0; in >> number;) to.push_back(number);
}

/// A line whose first word says what it does.
void read_named(std::istream& in, value_line& to) {
  to.operation = take<std::string>(in);
  read_numbers(in, to.operands);
}

/// A line that names a function along an axis, and a number that sets it.
void read_along(std::istream& in, value_line& to) {
  to.operation = take<std::string>(in);
  to.axes = take<std::uint32_t>(in);
  to.setting = take<int>(in);
  read_numbers(in, to.operands);
}

void read_loop(std::istream& in, value_line& to) {
  to.states = take<unsigned>(in);
  read_numbers(in, to.operands);
}

void read_reduce_by(std::istream& in, value_line& to) {
  to.states = take<unsigned>(in);
  to.axes = take<std::uint32_t>(in);
  to.keep_axes = take<bool>(in);
  to.ordered = take<bool>(in);
  read_numbers(in, to.operands);
}

void read_scan_by(std::istream& in, value_line& to) {
  to.states = take<unsigned>(in);
  to.axes = take<std::uint32_t>(in);
  read_numbers(in, to.operands);
}

/// A line of a part: its operands, then its axis.
void read_part(std::istream& in, unsigned operands, value_line& to) {
  for (; operands != 0; --operands) to.operands.push_back(take<unsigned>(in));
  to.axes = take<std::uint32_t>(in);
}

using line_reader = std::function<void(std::istream&, value_line&)>;
const std::map<std::string, line_reader> value_readers = {
    {"input", [](std::istream& in, value_line& to) { to.input = read_layout(in); }},
    {"literal", read_scalar},
    {"param", read_scalar},
    {"apply", read_named},
    {"extern", read_named},
    {"cast",
     [](std::istream& in, value_line& to) {
       to.operands = {take<unsigned>(in)};
       to.type = type_named(take<std::string>(in));
     }},
    {"reduce",
     [](std::istream& in, value_line& to) {
       to.operation = take<std::string>(in);
       read_axis(in, to);
       to.keep_axes = take<bool>(in);
     }},
    {"scan",
     [](std::istream& in, value_line& to) {
       to.operation = take<std::string>(in);
       read_axis(in, to);
     }},
    {"coordinate", read_axis},
    {"extent", read_axis},
    {"view", read_view},
    {"random",
     [](std::istream& in, value_line& to) {
       to.operation = take<std::string>(in);
       to.type = type_named(take<std::string>(in));
       read_numbers(in, to.operands);
     }},
    {"argument",
     [](std::istream& in, value_line& to) {
       to.type = type_named(take<std::string>(in));
       to.rank = take<unsigned>(in);
       to.weak = take<bool>(in);
     }},
    {"whole",
     [](std::istream& in, value_line& to) {
       to.type = type_named(take<std::string>(in));
       to.rank = take<unsigned>(in);
     }},
    {"element", read_named},
    {"repeat", read_loop},
    {"repeat_while", read_loop},
    {"when", [](std::istream& in, value_line& to) { read_numbers(in, to.operands); }},
    {"reduce_by", read_reduce_by},
    {"scan_by", read_scan_by},
    {"component",
     [](std::istream& in, value_line& to) {
       to.operands = {take<unsigned>(in)};
       to.component = take<unsigned>(in);
     }},
    {"extended",
     [](std::istream& in, value_line& to) {
       read_part(in, 3, to);
       to.operation = take<std::string>(in);
     }},
    {"concatenate", [](std::istream& in, value_line& to) { read_part(in, 2, to); }},
    {"gather",
     [](std::istream& in, value_line& to) {
       read_part(in, 2, to);
       to.operation = take<std::string>(in);
     }},
    {"window", [](std::istream& in, value_line& to) { read_part(in, 2, to); }},
    {"diagonal",
     [](std::istream& in, value_line& to) {
       read_part(in, 2, to);
       to.second_axis = take<unsigned>(in);
     }},
    {"merged", read_axis},
    {"split",
     [](std::istream& in, value_line& to) {
       read_part(in, 2, to);
       to.whole = take<bool>(in);
     }},
    {"searchsorted",
     [](std::istream& in, value_line& to) {
       to.operands = {take<unsigned>(in), take<unsigned>(in)};
       to.operation = take<std::string>(in);
     }},
    {"interp", read_named},
    {"scatter",
     [](std::istream& in, value_line& to) {
       read_part(in, 3, to);
       to.operation = take<std::string>(in);
       to.rule = take<std::string>(in);
     }},
    {"bincount", [](std::istream& in, value_line& to) { read_numbers(in, to.operands); }},
    {"histogram",
     [](std::istream& in, value_line& to) {
       to.type = type_named(take<std::string>(in));
       read_numbers(in, to.operands);
     }},
    {"histogram2d", [](std::istream& in, value_line& to) { read_numbers(in, to.operands); }},
    {"segment",
     [](std::istream& in, value_line& to) {
       to.operation = take<std::string>(in);
       to.axes = take<std::uint32_t>(in);
       read_numbers(in, to.operands);
     }},
    {"nonzero", [](std::istream& in, value_line& to) { read_numbers(in, to.operands); }},
    {"compress", [](std::istream& in, value_line& to) { read_numbers(in, to.operands); }},
    {"stencil", read_along},
    {"order", read_along},
    {"product", [](std::istream& in, value_line& to) {
       to.operation = take<std::string>(in);
       to.rule = take<std::string>(in);
       read_numbers(in, to.operands);
     }}};

void read_output(std::istream& in, program& to) {
  output_line output;
  output.value = take<unsigned>(in);
  std::string word;
  if (in >> word) {
    output.has_target = true;
    output.target = read_layout(in);
  }
  to.outputs.push_back(output);
}

/// The line of the latest value at a depth of bodies.
value_line& latest_value(std::vector<value_line>& values, std::size_t depth) {
  if (values.empty()) throw std::runtime_error("driver: a body of no value");
  value_line& latest = values.back();
  if (depth == 0) return latest;
  if (latest.bodies.empty()) throw std::runtime_error("driver: a line outside of its body");
  return latest_value(latest.bodies.back().values, depth - 1);
}

/// Reads the lines of a program but its buffers. Bodies nest: `depth_` of them are open.
class line_by_line {
 public:
  explicit line_by_line(program& to) : program_(to) {}

  void read(const std::string& word, std::istream& in) {
    if (word == "program") {
      in >> program_.identifier >> program_.mode >> program_.variant;
    } else if (depth_ == 0 && word == "output") {
      read_output(in, program_);
    } else if (word == "body") {
      value_line& owner = latest_value(program_.values, depth_);
      if (!has_bodies(owner)) throw std::runtime_error("driver: a body of " + owner.kind);
      owner.bodies.emplace_back();
      ++depth_;
    } else if (depth_ > 0 && word == "result") {
      innermost().results.push_back(take<unsigned>(in));
    } else if (depth_ > 0 && word == "close") {
      --depth_;
    } else if (const auto reader = value_readers.find(word); reader != value_readers.end()) {
      value_line& value = (depth_ == 0 ? program_.values : innermost().values).emplace_back();
      value.kind = word;
      reader->second(in, value);
    } else {
      throw std::runtime_error("driver: unknown line: " + word);
    }
  }

  bool is_whole() const { return depth_ == 0; }

 private:
  body& innermost() { return latest_value(program_.values, depth_ - 1).bodies.back(); }

  program& program_;
  std::size_t depth_ = 0;
};

}  // namespace

bool read_program(std::istream& from, program& to) {
  std::vector<std::size_t> sizes;
  std::string text, failure;
  line_by_line lines(to);
  while (std::getline(from, text)) {
    std::istringstream in(text);
    std::string word;
    if (!(in >> word) || word.starts_with('#')) continue;
    if (word == "end") {
      for (std::size_t size : sizes) {
        const memory_block& buffer = to.buffers.emplace_back(size);
        from.read(buffer.data(), static_cast<std::streamsize>(size));
      }
      if (failure.empty() && !lines.is_whole()) failure = "driver: a body has no end";
      if (!failure.empty()) throw std::runtime_error(failure);
      return true;
    }
    try {
      if (word == "buffer")
        sizes.push_back(take<std::size_t>(in));
      else
        lines.read(word, in);
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }
  return false;
}

}  // namespace differential
