#pragma once

#include <string>
#include <vector>

#include "plimsoll/core/progress.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/experiment/transform.hpp"
#include "plimsoll/profile/options.hpp"

namespace plimsoll::app {

/// What every command that reads measurements is told.
struct Inputs {
    std::vector<std::string> paths;
    experiment::ReadOptions read;
    profile::ProfileOptions profiles;
    experiment::TransformOptions transform;
};

/// Whether notes on what is left out as usual are wanted.
enum class Details { no, yes };

/// Reads, merges and transforms. Throws a usage error where an input is given twice.
[[nodiscard]] experiment::Experiment read_inputs(const Inputs& inputs, Progress& progress,
                                                 Details details = Details::no);

/// Throws a usage error where an output is the same file as an input, or as one in a folder that is an input
/// and would be read from it. `-` is no file.
void refuse_output_over_input(const std::string& output, const std::vector<std::string>& inputs);

/// A point given as `p=4096,n=9000`, in the order of the parameters. A parameter that has one value in all
/// measurements, by its smallest and largest ones (empty: not known), need not be named. Throws a usage error
/// that names the parameter which is unknown, missing or twice there, or the value that is no number.
[[nodiscard]] std::vector<double> parse_point(const std::string& text,
                                              const std::vector<std::string>& parameters,
                                              const std::vector<double>& smallest = {},
                                              const std::vector<double>& largest = {});

}  // namespace plimsoll::app
