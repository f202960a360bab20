// The demonstration: fused lambdas on a picture, beside the same work done one operation at a time.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "picture.hpp"

using namespace sinter;

namespace {

struct options {
  std::string picture = demo::beside_program("example.png");
  std::string output = "sinter-demo.png";
  bool whole_source = false;
  bool quick = false;
};

[[noreturn]] void usage(int status) {
  std::puts(
      "usage: sinter_demo [--source] [--quick] [--device cpu|cuda] [--output FILE.png] [PICTURE]\n"
      "  PICTURE   a PNG, PPM (P5, P6) or .npy file: (rows, columns), (rows, columns, 3), or points (n, 2), "
      "(n, 3)\n"
      "  --source  show the whole text of each kernel instead of its beginning\n"
      "  --quick   time the picture as it is instead of a large one made of it");
  std::exit(status);
}

options parse(int count, char** arguments) {
  options chosen;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    const auto value = [&] { return i + 1 < count ? std::string_view(arguments[++i]) : (usage(2), ""); };
    if (argument == "--source") {
      chosen.whole_source = true;
    } else if (argument == "--quick") {
      chosen.quick = true;
    } else if (argument == "--output") {
      chosen.output = value();
    } else if (argument == "--device") {
      device::set_default(value() == "cpu" ? device::cpu() : device::cuda());
    } else if (argument == "--help") {
      usage(0);
    } else if (argument.starts_with("-")) {
      usage(2);
    } else {
      chosen.picture = argument;
    }
  }
  return chosen;
}

// ---- measuring and printing ----

template <class Work>
double milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  synchronize();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct row {
  std::string name;
  int operations;
  double first, fused, stepwise;
};

// The first lines of a text, and how many more there are.
void print_shortened(const std::string& text, bool whole) {
  const auto lines = std::ranges::count(text, '\n');
  std::size_t end = 0;
  for (int line = 0; line < (whole ? lines : 24) && end < text.size(); ++line) end = text.find('\n', end) + 1;
  std::printf("%s", text.substr(0, end).c_str());
  if (end < text.size())
    std::printf("… and %lld lines more (--source shows them)\n", static_cast<long long>(lines - 24));
}

// Prints one fused function's graph and text, and how fast it is. `stepwise` does the same work with one
// kernel per operation.
template <class Fused, class Stepwise, class... Arguments>
row show(const options& chosen, std::string name, int operations, const Fused& fused,
         const Stepwise& stepwise, const Arguments&... arguments) {
  std::printf("\n======== %s ========\n", name.c_str());
  row measured{std::move(name), operations, milliseconds([&] { static_cast<void>(fused(arguments...)); }), 0,
               0};
  std::printf("%s\n", fused.explain(arguments...).c_str());
  std::printf("-------- the text that was compiled --------\n");
  print_shortened(fused.source(arguments...), chosen.whole_source);

  static_cast<void>(stepwise(arguments...));  // compiles its kernels
  // Timed alternately, so that other work on the machine affects both.
  measured.fused = measured.stepwise = 1e9;
  for (int i = 0; i < 9; ++i) {
    measured.fused = std::min(measured.fused, milliseconds([&] { static_cast<void>(fused(arguments...)); }));
    measured.stepwise =
        std::min(measured.stepwise, milliseconds([&] { static_cast<void>(stepwise(arguments...)); }));
  }
  return measured;
}

// ---- the functions ----

// Luminance: three strided channels of one array, read together.
auto grey = fuse("grey", [](auto p) {
  return 0.2126f * p(all(), all(), 0) + 0.7152f * p(all(), all(), 1) + 0.0722f * p(all(), all(), 2);
});
array<float, 2> grey_stepwise(const array<float, 3>& p) {
  const array<float, 2> r = 0.2126f * p(all(), all(), 0);
  const array<float, 2> g = 0.7152f * p(all(), all(), 1);
  const array<float, 2> b = 0.0722f * p(all(), all(), 2);
  const array<float, 2> rg = r + g;
  return rg + b;
}

// A film's response to light: sRGB to linear, exposure, a curve with a toe and a shoulder, back to sRGB.
auto tone = fuse("tone", [](auto p, auto exposure) {
  const auto linear = where(p <= 0.04045f, p / 12.92f, pow((p + 0.055f) / 1.055f, 2.4f));
  const auto x = exposure * linear;
  const auto film = x * (2.51f * x + 0.03f) / (x * (2.43f * x + 0.59f) + 0.14f);
  return where(film <= 0.0031308f, 12.92f * film, 1.055f * pow(film, 1 / 2.4f) - 0.055f);
});
array<float, 3> tone_stepwise(const array<float, 3>& p, float exposure) {
  using picture = array<float, 3>;
  const array<bool, 3> dark = p <= 0.04045f;
  const picture line = p / 12.92f;
  const picture lifted = p + 0.055f;
  const picture scaled = lifted / 1.055f;
  const picture powered = pow(scaled, 2.4f);
  const picture linear = where(dark, line, powered);
  const picture x = exposure * linear;
  const picture a = 2.51f * x;
  const picture b = a + 0.03f;
  const picture above = x * b;
  const picture c = 2.43f * x;
  const picture d = c + 0.59f;
  const picture f = x * d;
  const picture below = f + 0.14f;
  const picture film = above / below;
  const array<bool, 3> deep = film <= 0.0031308f;
  const picture straight = 12.92f * film;
  const picture root = pow(film, 1 / 2.4f);
  const picture curve = 1.055f * root;
  const picture shifted = curve - 0.055f;
  return where(deep, straight, shifted);
}

// Edges: a stencil, written as differences of slices of one array.
auto edges = fuse("edges", [](auto g) {
  const auto dx = g(slice(1, -1), slice(2, end)) - g(slice(1, -1), slice(0, -2));
  const auto dy = g(slice(2, end), slice(1, -1)) - g(slice(0, -2), slice(1, -1));
  return 1 - 3 * sqrt(dx * dx + dy * dy);
});
array<float, 2> edges_stepwise(const array<float, 2>& g) {
  using plane = array<float, 2>;
  const plane dx = g(slice(1, -1), slice(2, end)) - g(slice(1, -1), slice(0, -2));
  const plane dy = g(slice(2, end), slice(1, -1)) - g(slice(0, -2), slice(1, -1));
  const plane xx = dx * dx;
  const plane yy = dy * dy;
  const plane sum = xx + yy;
  const plane length = sqrt(sum);
  const plane strong = 3 * length;
  return 1 - strong;
}

// A lens: the corners darken and rings of light run outward, computed from each pixel's position. One pass,
// three results.
auto lens = fuse("lens", [](auto r, auto g, auto b, auto strength) {
  // Positions and lengths are int64, which would promote float to double.
  const auto y = astype<float>(coordinate<0>(r)) / astype<float>(extent<0>(r)) * 2 - 1;
  const auto x = astype<float>(coordinate<1>(r)) / astype<float>(extent<1>(r)) * 2 - 1;
  const auto distance = x * x + y * y;
  const auto light = (1 - strength * distance) * (1 + 0.08f * cos(24 * sqrt(distance)));
  return std::tuple{r * light, g * light, b * light};
});
template <class Channel>
std::tuple<array<float, 2>, array<float, 2>, array<float, 2>> lens_stepwise(const Channel& red,
                                                                            const Channel& green,
                                                                            const Channel& blue,
                                                                            float strength) {
  using plane = array<float, 2>;
  // Here the positions are arrays: one element per row, one per column.
  const plane rows = linspace<float>(-1, 1, red.shape()[0])(all(), newaxis);
  const plane columns = linspace<float>(-1, 1, red.shape()[1])(newaxis, all());
  const plane yy = rows * rows;
  const plane xx = columns * columns;
  const plane squares = xx + yy;
  const plane falling = strength * squares;
  const plane corners = 1 - falling;
  const plane distance = sqrt(squares);
  const plane phase = 24 * distance;
  const plane wave = cos(phase);
  const plane small = 0.08f * wave;
  const plane rings = 1 + small;
  const plane light = corners * rings;
  return {red * light, green * light, blue * light};
}

// Moves masked points to infinity. The mask has one element per point, the points have three.
auto masked = fuse("masked", [](auto points, auto mask) { return where(mask(all(), newaxis), inf, points); });
array<float, 2> masked_stepwise(const array<float, 2>& points, const array<bool, 1>& mask) {
  // Without fusing, the mask is first broadcast to all coordinates.
  array<bool, 2> spread(points.shape(), points.device());
  spread(all(), all()) = mask(all(), newaxis);
  return where(spread, inf, points);
}

// ---- the picture that is written ----

// Two columns of panels on one sheet, in reading order.
class sheet {
 public:
  sheet(std::int64_t rows, std::int64_t columns, std::int64_t panels)
      : rows_(rows),
        columns_(columns),
        pixels_(full<float>({gap + (rows + gap) * ((panels + 1) / 2), gap + 2 * (columns + gap), 3}, 0.12f)) {
  }

  // A panel that is smaller than its place is centred (an edge detector loses the border).
  template <class Panel>
  void add(const Panel& panel) {
    const std::int64_t rows = panel.shape()[0], columns = panel.shape()[1];
    const std::int64_t top = gap + (rows_ + gap) * (count_ / 2) + (rows_ - rows) / 2;
    const std::int64_t left = gap + (columns_ + gap) * (count_ % 2) + (columns_ - columns) / 2;
    const auto place = pixels_(slice(top, top + rows), slice(left, left + columns), all());
    if constexpr (Panel::rank == 3)
      place() = panel;
    else
      place() = panel(all(), all(), newaxis);
    ++count_;
  }
  void write(const std::string& path) const {
    demo::write_png(path, pixels_.to_vector().data(), pixels_.shape()[0], pixels_.shape()[1]);
  }

 private:
  static constexpr std::int64_t gap = 12;
  std::int64_t rows_, columns_, count_ = 0;
  array<float, 3> pixels_;
};

// Repeats the picture beside and below itself until it is large enough for meaningful times.
demo::picture repeated(const demo::picture& original, std::int64_t min_pixels) {
  std::int64_t times = 1;
  while (times * times * original.rows * original.columns < min_pixels) ++times;
  demo::picture result{original.rows * times, original.columns * times, {}};
  result.samples.reserve(static_cast<std::size_t>(result.rows * result.columns * 3));
  for (std::int64_t y = 0; y < result.rows; ++y)
    for (std::int64_t i = 0; i < times; ++i) {
      const auto line = original.samples.begin() + (y % original.rows) * original.columns * 3;
      result.samples.insert(result.samples.end(), line, line + original.columns * 3);
    }
  return result;
}

array<float, 3> uploaded(const demo::picture& image) {
  return array<float, 3>::from(image.samples, {image.rows, image.columns, 3});
}

// The pixels as points in colour space.
view<const float, 2> as_points(const array<float, 3>& p) {
  return {p.data(), {p.shape()[0] * p.shape()[1], 3}, p.device()};
}

template <class Picture>
auto channel(Picture& p, int which) {
  return p(all(), all(), which);
}

array<bool, 1> dark(const array<float, 2>& luminance) {
  return view<const float, 1>(luminance.data(), {luminance.size()}, luminance.device()) < 0.45f;
}

void print_table(const std::vector<row>& rows, std::int64_t pixels) {
  std::printf("\n======== what fusing saves, on %.1f million pixels, best of 9 runs ========\n",
              static_cast<double>(pixels) / 1e6);
  std::printf("%-8s  %10s  %12s  %9s  %23s  %6s\n", "kernel", "operations", "first call", "one call",
              "one operation at a time", "times");
  for (const row& r : rows)
    std::printf("%-8s  %10d  %9.1f ms  %6.2f ms  %20.2f ms  %6.1f\n", r.name.c_str(), r.operations, r.first,
                r.fused, r.stepwise, r.stepwise / r.fused);
}

void print_devices(device used) {
  std::printf("\n======== devices ========\n");
  for (const device& found : devices())
    std::printf("%-8s %s%s\n", found.to_string().c_str(), found.name().c_str(),
                found == used ? "   <- used here" : "");
  if (const std::string reason = cuda_absence_reason(); !reason.empty())
    std::printf("no NVIDIA GPU: %s\n", reason.c_str());
}

void run(const options& chosen) {
  const demo::input input = demo::read(chosen.picture);
  std::printf("%s: %lld x %lld pixels", chosen.picture.c_str(), static_cast<long long>(input.image.columns),
              static_cast<long long>(input.image.rows));
  if (input.points.rows > 0)
    std::printf(", drawn from %lld points", static_cast<long long>(input.points.rows));
  std::puts("");

  // Timed on a large picture...
  const demo::picture large_image = repeated(input.image, chosen.quick ? 1 : 4'000'000);
  const array<float, 3> large = uploaded(large_image);
  const array<float, 2> large_grey = grey_stepwise(large);
  const array<float, 2> large_points = as_points(large);
  const float exposure = 0.75f, strength = 0.45f;
  std::vector<row> rows;
  rows.push_back(show(chosen, "grey", 5, grey, grey_stepwise, large));
  rows.push_back(show(chosen, "tone", 21, tone, tone_stepwise, large, exposure));
  rows.push_back(show(chosen, "edges", 8, edges, edges_stepwise, large_grey));
  rows.push_back(show(chosen, "lens", 16, lens, lens_stepwise<view<const float, 2>>, channel(large, 0),
                      channel(large, 1), channel(large, 2), strength));
  rows.push_back(show(chosen, "masked", 2, masked, masked_stepwise, large_points, dark(large_grey)));

  // ... and shown on the picture itself: another size runs the same kernels.
  const array<float, 3> picture = uploaded(input.image);
  const array<float, 2> luminance = grey(picture);
  sheet panels(input.image.rows, input.image.columns, 6);
  panels.add(picture);
  panels.add(tone(picture, exposure));
  panels.add(luminance);
  panels.add(edges(luminance));
  array<float, 3> through_lens(picture.shape());
  lens.into(channel(through_lens, 0), channel(through_lens, 1), channel(through_lens, 2))(
      channel(picture, 0), channel(picture, 1), channel(picture, 2), strength);
  panels.add(through_lens);
  if (input.points.rows > 0) {
    const array<float, 2> points = array<float, 2>::from(input.points.samples, {input.points.rows, 3});
    const array<bool, 1> left_half = points(all(), 0) < 0;
    const demo::point_set kept{input.points.rows, masked(points, left_half).to_vector()};
    panels.add(uploaded(demo::draw(kept, input.image.rows, input.image.columns)));
  } else {
    const array<float, 2> kept = masked(as_points(picture), dark(luminance));
    const array<float, 2> on_paper = where(isinf(kept), 1, kept);
    panels.add(view<const float, 3>(on_paper.data(), picture.shape(), on_paper.device()));
  }
  panels.write(chosen.output);

  print_table(rows, large_image.rows * large_image.columns);
  std::printf("\nwritten: %s\n  original  tone\n  grey      edges\n  lens      masked (%s)\n",
              std::filesystem::absolute(chosen.output).c_str(),
              input.points.rows > 0 ? "points left of the origin are at infinity"
                                    : "dark pixels are at infinity: paper");
  print_devices(device::current_default());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    run(parse(count, arguments));
  } catch (const std::exception& caught) {
    std::fprintf(stderr, "sinter_demo: %s\n", caught.what());
    return 1;
  }
}
