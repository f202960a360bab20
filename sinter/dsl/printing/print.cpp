#include <sinter/dsl/printing/element_texts.hpp>
#include <sinter/dsl/printing/print.hpp>

#include <ostream>

namespace sinter::inline v0::detail {

namespace {

// NumPy's defaults.
constexpr std::int64_t max_elements = 1000, edge = 3;
constexpr std::size_t line_width = 75;

/// Which positions of an axis are shown: all, or those before and after an ellipsis.
struct shown_axis {
  std::int64_t before = 0, after = 0, extent = 0;
  std::int64_t count() const { return before + after; }
  bool has_gap() const { return count() != extent; }
  std::int64_t position(std::int64_t i) const { return i < before ? i : extent - count() + i; }
};

/// The shown elements of an array and their text.
class printer {
 public:
  explicit printer(const runtime::operand& elements) : elements_(elements) {
    std::int64_t size = 1;
    for (unsigned axis = 0; axis != elements.rank; ++axis) size *= elements.extents[axis];
    for (unsigned axis = 0; axis != elements.rank; ++axis) {
      const std::int64_t extent = elements.extents[axis];
      const bool summarised = size > max_elements && extent > 2 * edge;
      axes_.push_back(summarised ? shown_axis{edge, edge, extent} : shown_axis{0, extent, extent});
    }
  }

  std::string text() {
    for (const shown_axis& axis : axes_) {
      if (axis.extent == 0) return "[]";
    }
    std::vector<std::byte> host;
    fetch(host, 0, 0);
    if (axes_.empty()) return lone_text(elements_.type, host.data());
    texts_ = element_texts(elements_.type, host);
    return brackets(0, " ", line_width);
  }

 private:
  /// Appends the shown elements of the axes from `axis` on, in row-major order; adjacent ones by one copy.
  void fetch(std::vector<std::byte>& host, unsigned axis, std::int64_t offset) const {
    if (axis == axes_.size()) return copy(host, offset, 1);
    const shown_axis& shown = axes_[axis];
    const std::int64_t stride = elements_.strides[axis];
    if (axis + 1 == axes_.size() && stride == 1) {
      copy(host, offset, shown.before);
      copy(host, offset + shown.extent - shown.after, shown.after);
      return;
    }
    for (std::int64_t i = 0; i != shown.count(); ++i)
      fetch(host, axis + 1, offset + shown.position(i) * stride);
  }
  void copy(std::vector<std::byte>& host, std::int64_t offset, std::int64_t count) const {
    if (count == 0) return;
    const std::size_t size = size_of(elements_.type), bytes = static_cast<std::size_t>(count) * size;
    host.resize(host.size() + bytes);
    const auto* from =
        static_cast<const std::byte*>(elements_.data) + offset * static_cast<std::int64_t>(size);
    copy_elements({host.data() + host.size() - bytes, device::cpu()},
                  {from, elements_.where, elements_.record}, bytes);
  }

  /// The text of the axes from `axis` on. Lines after the first begin with `indent`; `width` is what a line
  /// may have.
  std::string brackets(unsigned axis, const std::string& indent, std::size_t width) {
    const shown_axis& shown = axes_[axis];
    const bool last_axis = axis + 1 == axes_.size();
    const std::string break_of_lines(axes_.size() - axis - 1, '\n');
    std::string lines, line = indent;
    for (std::int64_t i = 0; i != shown.count(); ++i) {
      if (shown.has_gap() && i == shown.before) {
        if (last_axis)
          append(lines, line, "... ", width - 1, indent);
        else
          lines.append(indent).append("...").append(break_of_lines);
      }
      if (last_axis)
        append(lines, line, texts_[next_++] + " ", width - 1, indent);
      else
        lines.append(indent)
            .append(brackets(axis + 1, indent + ' ', width - 1))
            .append(i + 1 == shown.count() ? "" : break_of_lines);
    }
    if (last_axis) lines += line.substr(0, line.size() - 1);
    return '[' + lines.substr(indent.size()) + ']';
  }
  /// Appends a word and the space after it, on a new line where it does not fit.
  static void append(std::string& lines, std::string& line, const std::string& word, std::size_t width,
                     const std::string& indent) {
    if (line.size() > indent.size() && line.size() + word.size() - 1 > width) {
      line.erase(line.find_last_not_of(' ') + 1);
      lines += line + '\n';
      line = indent;
    }
    line += word;
  }

  const runtime::operand& elements_;
  std::vector<shown_axis> axes_;
  std::vector<std::string> texts_;
  std::size_t next_ = 0;
};

}  // namespace

void print_elements(std::ostream& to, const runtime::operand& elements) {
  if (elements.data == nullptr)
    to << "[]";
  else
    to << printer(elements).text();
}

}  // namespace sinter::inline v0::detail
