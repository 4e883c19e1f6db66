#pragma once

#include <string>
#include <string_view>

#include "plimsoll/experiment/reader.hpp"

namespace plimsoll::test {

/// Reads an experiment from text, as a file of the name given would be; throws as the reader does.
inline experiment::Experiment read_experiment(std::string_view content,
                                              const experiment::ReadOptions& options = {},
                                              const std::string& name = "input") {
    experiment::ExperimentBuilder builder;
    Input input(name, content);
    experiment::read(input, builder, options);
    return builder.build();
}

/// The error that reading a text ends in; fails the caller's expectations by an empty message where it reads
/// well.
inline Error error_of(std::string_view content, const experiment::ReadOptions& options = {}) {
    try {
        (void)read_experiment(content, options);
    } catch (const Error& error) {
        return error;
    }
    return Error(ErrorKind::internal, "the text was read without an error");
}

}  // namespace plimsoll::test
