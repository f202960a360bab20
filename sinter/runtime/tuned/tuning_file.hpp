#pragma once
// Tunings as text: each record is a few lines, which belong together by a number that is the hash of them
// all.
//
//     sinter tuning 2
//     3f09c2d1 1/4 call | softmax (a.cpp:7) | <graph> | <device> | <class> | emitter 43 | times … | <cut>
//     3f09c2d1 2/4 cut | timed | sec low high samples | <cut> | <why>
//     3f09c2d1 3/4 stage | 1 | <purpose> | bytes | candidates | <usual schedule> | <chosen schedule>
//     3f09c2d1 4/4 trial | 1 | timed | seconds low high samples | <schedule> | <why>
//
// Lines may stand in any order and twice, so that the union of the lines of two files is a file.

#include <sinter/runtime/tuned/tuned_entry.hpp>
#include <sinter/runtime/tuning.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::runtime {

/// A record as it lies in a file.
struct tuning_record {
  tuning_report report;
  int emitter = 0;  ///< emitter_version of the library that measured
};

/// What calls are tuned by, as a report says: with what was measured, also where the default stays.
tuned_entry entry_of(const tuning_report& report, const std::string& origin);

/// Of records that this emitter's kernels were measured by, the one with the largest gain for each class of
/// calls.
std::map<tuned_key, tuning_report> best_records(const std::vector<tuning_record>& records);

/// The text of a file: records sorted by function, graph, device and class, so that two versions differ in
/// the lines of what has changed. Of several of one call the one with the largest gain stays.
std::string to_text(std::vector<tuning_record> records);
/// Reads it. Throws type_error with the file's name, the line and what is wrong with it.
std::vector<tuning_record> read_tunings(std::string_view text, const std::string& name);
/// Reads a file. Throws device_error where it cannot be read, too.
std::vector<tuning_record> read_tuning_file(const std::string& path);

}  // namespace sinter::inline v0::runtime
