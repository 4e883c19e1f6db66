#pragma once

#include <string>

#include "plimsoll/experiment/reader.hpp"

// The readers, one a file. Each has a `matches` for detection and a `read`; reader.cpp holds the table.
namespace plimsoll::experiment::detail {

/// Bytes of all the files, the total of an activity that their inputs count for.
[[nodiscard]] std::int64_t total_size(std::span<const std::string> files);

bool is_text(const Probe& probe);
void read_text(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

bool is_json_lines(const Probe& probe);
void read_json_lines(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

bool is_talpas(const Probe& probe);
void read_talpas(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

bool is_json(const Probe& probe);
void read_json(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

bool is_table(const Probe& probe);
void read_table(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

bool is_extrap3(const Probe& probe);
void read_extrap3(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

bool is_extrap4(const Probe& probe);
void read_extrap4(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

bool is_cube_folder(const std::string& path);
void read_cube_folder(const std::string& path, ExperimentBuilder& builder, const ReadOptions& options,
                      Progress& progress);

/// A single Cube profile; its configuration comes from the folder that it lies in.
bool is_cube_file(const Probe& probe);
void read_cube_file(Input& input, ExperimentBuilder& builder, const ReadOptions& options);

}  // namespace plimsoll::experiment::detail
