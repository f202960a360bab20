#include <sinter/codegen/graph/graph.hpp>
#include <sinter/dsl/c/calls/prepared_call.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>
#include <sinter/dsl/c/scalars.hpp>
#include <sinter/dsl/c/tensors.hpp>

#include <algorithm>
#include <string>

namespace sinter::inline v0::c {
namespace {

/// Runs `borrow`, and begins the message of what it throws with the place of the tensor.
template <class Borrow>
any_view at_place(const std::string& place, const Borrow& borrow) {
  try {
    return borrow();
  } catch (const shape_error& thrown) {
    throw shape_error(place + ": " + thrown.what());
  } catch (const type_error& thrown) {
    throw type_error(place + ": " + thrown.what());
  } catch (const device_error& thrown) {
    throw device_error(place + ": " + thrown.what());
  }
}

/// Views of a list of tensors and arrays.
std::vector<any_view> views_of(const sinter_operand* list, size_t count, const char* what) {
  if (count != 0 && list == nullptr) c::throw_null((std::string("the list of ") + what + "s").c_str());
  std::vector<any_view> views;
  for (size_t i = 0; i < count; ++i) {
    const sinter_operand& each = list[i];
    const std::string place = what + (" " + std::to_string(i));
    if ((each.tensor == nullptr) == (each.array == nullptr))
      throw c::invalid_argument(place + (each.tensor == nullptr
                                             ? " is neither a tensor nor an array: both pointers are null"
                                             : " is a tensor and an array: one pointer must be null"));
    if (each.array != nullptr)
      views.push_back(each.array->elements.view());
    else
      views.push_back(at_place(place, [&] { return c::view_of(*each.tensor); }));
  }
  return views;
}

std::vector<runtime::operand> erased(const std::vector<any_view>& views) {
  std::vector<runtime::operand> operands;
  operands.reserve(views.size());
  for (const any_view& each : views) operands.push_back(each.erased());
  return operands;
}

/// Throws unless `given` is as long as it says, and says nothing that this version does not know.
const sinter_arguments& known(const sinter_arguments* given) {
  const sinter_arguments& arguments = checked(given, "the pointer to the arguments");
  if (arguments.size < sizeof(sinter_arguments))
    throw c::invalid_argument("the arguments have size " + std::to_string(arguments.size) +
                              ": set the member size to sizeof(sinter_arguments), " +
                              std::to_string(sizeof(sinter_arguments)));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  if (std::any_of(bytes + sizeof(sinter_arguments), bytes + arguments.size,
                  [](unsigned char byte) { return byte != 0; }))
    throw c::invalid_argument("the arguments have members that version " + std::to_string(sinter_version()) +
                              " of the library does not know: set them to 0");
  return arguments;
}

}  // namespace

prepared_call::prepared_call(const sinter_function* function, const sinter_arguments* arguments)
    : prepared_call(checked(function, "the function"), known(arguments)) {}

prepared_call::prepared_call(const sinter_function& function, const sinter_arguments& given)
    : called(function.handle),
      operand_views_(views_of(given.operands, given.operand_count, "operand")),
      target_views_(views_of(given.into, given.into_count, "target")),
      operands(erased(operand_views_)),
      into(erased(target_views_)) {
  for (size_t i = 0; i < target_views_.size(); ++i)
    if (target_views_[i].read_only())
      throw type_error("target " + std::to_string(i) +
                       " is read only, as the tensor was that its array has taken over: name another");
  take_scalars(given);
  take_stream(given);
  if (given.workspace == nullptr && given.workspace_bytes != 0) c::throw_null("the workspace");
  how.workspace = {static_cast<std::byte*>(given.workspace), given.workspace_bytes};
  how.assume_ordered = given.assume_ordered != 0;
  if (given.shape_generic != 0) how.variant = lowering_variant::shape_generic;
}

void prepared_call::take_scalars(const sinter_arguments& given) {
  const std::vector<element_type>& types = runtime::recorded_graph(called).parameters;
  if (given.scalar_count != types.size())
    throw type_error("the function takes " + std::to_string(types.size()) + " scalars, and was given " +
                     std::to_string(given.scalar_count));
  for (size_t i = 0; i < types.size(); ++i)
    scalars.push_back(c::scalar_of((&checked(given.scalars, "the list of scalars"))[i], types[i], i));
}

void prepared_call::take_stream(const sinter_arguments& given) {
  if (given.stream != nullptr) {
    if (given.native_stream != nullptr)
      throw c::invalid_argument("the arguments name a stream and a native stream: one of them must be null");
    how.on = &given.stream->queue;
  } else if (given.native_stream != nullptr) {
    const device where = !operands.empty() ? operands.front().where
                         : !into.empty()   ? into.front().where
                                           : device::current_default();
    if (where.is_cpu())
      throw device_error("the arguments name a native stream of a GPU, and the call runs on the CPU");
    native_ = stream::from_native(where, given.native_stream);
    how.on = &native_;
  }
}

}  // namespace sinter::inline v0::c
