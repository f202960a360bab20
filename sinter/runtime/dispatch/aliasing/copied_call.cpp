#include <sinter/runtime/dispatch/aliasing/copied_call.hpp>

namespace sinter::inline v0::runtime {

copied_call::copied_call(const call_request& of)
    : original_(of), called_(*of.called), scalars_(of.scalars.begin(), of.scalars.end()) {
  std::size_t words = 0;
  for (const std::span<const operand> arrays : {of.operands, of.into})
    for (const operand& array : arrays) words += 2 * std::size_t{array.rank};
  layouts_.reserve(words);  // so that pointers into it stay valid
  copy(of.operands, operands_);
  copy(of.into, into_);
  if (of.forced != nullptr) forced_ = *of.forced;
}

void copied_call::copy(std::span<const operand> from, std::vector<operand>& to) {
  const auto keep = [&](const std::int64_t* values, unsigned rank) {
    const std::size_t begin = layouts_.size();
    layouts_.insert(layouts_.end(), values, values + rank);
    return layouts_.data() + begin;
  };
  for (const operand& array : from) {
    operand& made = to.emplace_back(array);
    made.extents = keep(array.extents, array.rank);
    made.strides = keep(array.strides, array.rank);
  }
}

call_request copied_call::request() const {
  call_request made = original_;
  made.operands = operands_;
  made.scalars = scalars_;
  made.into = into_;
  made.forced = forced_ ? &*forced_ : nullptr;
  made.on = nullptr;
  return made;
}

}  // namespace sinter::inline v0::runtime
