#include "drawn_call.hpp"

#include "../sweep/sweep.hpp"

#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {

bits elements_of(const drawn_call& of, const drawn_array& array) {
  const drawn_memory& memory = of.memories[array.memory];
  const std::size_t parts = parts_of(memory.type);
  bits made;
  for_each_position(array, [&](std::size_t position) {
    for (std::size_t p = 0; p < parts; ++p) made.push_back(memory.elements[position * parts + p]);
  });
  return made;
}

drawn_array add_contiguous(drawn_call& to, element_type type, const shape& extents, bits elements) {
  if (elements.empty()) elements.resize(parts_of(type));
  to.memories.push_back({type, std::move(elements)});
  return {to.memories.size() - 1, 0, extents, contiguous_strides(extents)};
}

std::vector<layout> layouts_of(const drawn_call& of, const std::vector<drawn_array>& arrays) {
  std::vector<layout> made;
  for (const drawn_array& array : arrays) {
    const element_type type = of.memories[array.memory].type;
    layout each{type, array.extents, array.strides};
    const std::uint64_t address = static_cast<std::uint64_t>(array.first) * size_of(type) | 256;
    each.alignment = static_cast<std::uint32_t>(address & (~address + 1));
    made.push_back(std::move(each));
  }
  return made;
}

std::string to_string(const drawn_call& of) {
  const auto list = [](const shape& numbers) {
    std::string text;
    for (const std::int64_t each : numbers) text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "(" + text + ")";
  };
  const auto array_text = [&](const drawn_array& at) {
    const element_type type = of.memories[at.memory].type;
    std::string text = std::string(facts_of(type).name) + " " + list(at.extents) + " strides " +
                       list(at.strides) + " in memory " + std::to_string(at.memory) + " from " +
                       std::to_string(at.first);
    if (const bits elements = elements_of(of, at); elements.size() <= 16 && !elements.empty()) {
      text += " =";
      for (const std::uint64_t each : elements) text += " " + element_text(component_of(type), each);
    }
    return text + "\n";
  };
  constexpr const char* modes[] = {"standard", "strict", "fast"};
  std::string text =
      std::string(modes[static_cast<std::size_t>(of.recorded.mode)]) + "\n" + to_string(of.recorded);
  for (std::size_t i = 0; i < of.inputs.size(); ++i)
    text += "input " + std::to_string(i) + ": " + array_text(of.inputs[i]);
  for (std::size_t i = 0; i < of.into.size(); ++i)
    text += "result " + std::to_string(i) + " into: " + array_text(of.into[i]);
  for (std::size_t i = 0; i < of.scalars.size(); ++i)
    text +=
        "scalar " + std::to_string(i) + ": " + element_text(of.recorded.parameters[i], of.scalars[i]) + "\n";
  return text;
}

}  // namespace sinter::test
