#include "read_program.hpp"

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

using line_reader = std::function<void(std::istream&, value_line&)>;
const std::map<std::string, line_reader> value_readers = {
    {"input", [](std::istream& in, value_line& to) { to.input = read_layout(in); }},
    {"literal", read_scalar},
    {"param", read_scalar},
    {"apply",
     [](std::istream& in, value_line& to) {
       to.operation = take<std::string>(in);
       for (unsigned value = 0; in >> value;) to.operands.push_back(value);
     }},
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
    {"view", read_view}};

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

void read_line(const std::string& word, std::istream& in, program& to) {
  if (word == "program") {
    in >> to.identifier >> to.mode >> to.variant;
  } else if (word == "output") {
    read_output(in, to);
  } else if (const auto reader = value_readers.find(word); reader != value_readers.end()) {
    value_line& value = to.values.emplace_back();
    value.kind = word;
    reader->second(in, value);
  } else {
    throw std::runtime_error("driver: unknown line: " + word);
  }
}

}  // namespace

bool read_program(std::istream& from, program& to) {
  std::vector<std::size_t> sizes;
  std::string text, failure;
  while (std::getline(from, text)) {
    std::istringstream in(text);
    std::string word;
    if (!(in >> word) || word.starts_with('#')) continue;
    if (word == "end") {
      for (std::size_t size : sizes) {
        const memory_block& buffer = to.buffers.emplace_back(size);
        from.read(buffer.data(), static_cast<std::streamsize>(size));
      }
      if (!failure.empty()) throw std::runtime_error(failure);
      return true;
    }
    try {
      if (word == "buffer")
        sizes.push_back(take<std::size_t>(in));
      else
        read_line(word, in, to);
    } catch (const std::exception& error) {
      failure = error.what();
    }
  }
  return false;
}

}  // namespace differential
