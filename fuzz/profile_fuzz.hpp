#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/reader.hpp"
#include "plimsoll/profile/collector.hpp"

namespace plimsoll::fuzz {

/// Reads arbitrary bytes with the reader of one profiler's format: it may refuse them with an input error and
/// nothing else.
inline int read_profile(const char* format, const std::uint8_t* data, std::size_t size) {
    try {
        profile::Collector profiles({.set = {}, .path_pattern = {}, .steps = profile::StepSearch::period});
        experiment::ExperimentBuilder builder;
        Input input("fuzz.p4.r1", std::string_view(reinterpret_cast<const char*>(data), size));
        experiment::read(input, builder, {.format = format}, &profiles);
        (void)builder.build();
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::input) throw;
    }
    return 0;
}

}  // namespace plimsoll::fuzz
