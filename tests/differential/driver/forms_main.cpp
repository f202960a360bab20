// Runs programs by the C++ text that was printed of them (cpp_forms/), from a library that holds many. Usage:
// sinter_differential_forms_driver cpu|cuda LIBRARY. A program's identifier is that of its form.
#include <dlfcn.h>

#include <exception>
#include <iostream>
#include <map>
#include <stdexcept>

#include "device_memory.hpp"
#include "form.hpp"
#include "layout_view.hpp"
#include "serve_programs.hpp"
#include "write_results.hpp"

namespace {

using forms = std::map<std::string, differential::form_function>;

forms load_forms(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto list = reinterpret_cast<decltype(&differential_forms)>(dlsym(library, "differential_forms"));
  if (list == nullptr) throw std::runtime_error("no differential_forms in the library");
  forms found;
  for (const differential::named_form* form = list(); form->identifier != nullptr; ++form)
    found.emplace(form->identifier, form->run);
  return found;
}

std::string run_form(const forms& known, const differential::program& source) {
  const std::vector<sinter::any_view> inputs = operands_of(source), targets = targets_of(source);
  const std::vector<sinter::any_array> results = known.at(source.identifier)({inputs, targets});
  std::string answer = differential::first_line(0, source.outputs.size());
  for (const sinter::any_array& result : results) differential::append_array(answer, result);
  differential::wait_for_device();
  for (const sinter::any_view& target : targets) differential::append_view(answer, target);
  if (!targets.empty())
    for (const differential::memory_block& buffer : source.buffers)
      answer.append(buffer.data(), buffer.size());
  return answer;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: sinter_differential_forms_driver cpu|cuda LIBRARY\n";
    return 2;
  }
  try {
    differential::choose_device(arguments[1]);
    const forms known = load_forms(arguments[2]);
    return differential::serve_programs(
        [&known](differential::program& source) { return run_form(known, source); });
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
