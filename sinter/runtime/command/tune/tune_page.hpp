#pragma once
// The page of tunings for a browser: one file with its styles and plots, which loads nothing.

#include <sinter/runtime/tuned/tuning_file.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::command {

/// The whole page, well-formed as HTML and as XML: a table of all records, then the plots and trials of each.
std::string tuning_page(std::span<const runtime::tuning_record> records);

/// A plot of bytes per second over bytes moved, both logarithmic: calls with the default schedules and with
/// those chosen, below the line of a copy. As SVG; "" if nothing was timed.
std::string roofline_plot(std::span<const runtime::tuning_record> records);
/// A plot of the trials of a kernel, the fastest first: medians and their intervals. As SVG; "" if nothing
/// was timed.
std::string trials_plot(const tuned_stage& stage);

/// Text as the content of an element or attribute.
std::string escaped_text(std::string_view text);
/// Writes the page to a file. Throws device_error.
void write_page(const std::string& path, std::span<const runtime::tuning_record> records);

}  // namespace sinter::inline v0::command
