#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/profile/detail/formats.hpp"
#include "plimsoll/profile/detail/marshal.hpp"

namespace plimsoll::profile::detail {

namespace {

constexpr std::size_t most_bytes = std::size_t{32} << 20U;

/// The name of a function (file, line, name), as Python's pstats prints it without folders.
std::string region_of(const MarshalValue& function) {
    const std::string_view file = function[0].text();
    const std::string_view name = function[2].text();
    const double line = function[1].number();
    if (file == "~" && line == 0.0) {
        // Built-in functions have no file.
        if (name.size() > 2 && name.starts_with('<') && name.ends_with('>'))
            return fmt::format("{{{}}}", name.substr(1, name.size() - 2));
        return std::string(name);
    }
    return fmt::format("{}:{:.0f}({})", file.substr(file.find_last_of("/\\") + 1), line, name);
}

bool is_function(const MarshalValue& key) {
    return key.size() == 3 && key[0].is_text() && key[1].is_number() && key[2].is_text();
}

/// Calls without recursion, calls, own time, time with all that was called, callers.
bool is_record(const MarshalValue& value) {
    if (value.size() != 5) return false;
    for (std::size_t i = 0; i < 4; ++i) {
        if (!value[i].is_number() || !std::isfinite(value[i].number())) return false;
    }
    return true;
}

}  // namespace

bool is_pstats(const experiment::Probe& probe) {
    // A dictionary whose first key is a tuple of three.
    const std::string_view head = probe.head;
    const auto is = [&](std::size_t i, char type) {
        return i < head.size() &&
               (static_cast<unsigned char>(head[i]) & 0x7FU) == static_cast<unsigned char>(type);
    };
    if (!is(0, '{')) return false;
    return (is(1, ')') && head.substr(2, 1) == "\3") ||
           (is(1, '(') && head.substr(2, 4) == std::string_view("\3\0\0\0", 4));
}

void read_pstats(Input& input, Sink& sink) {
    const auto fail = [&](const std::string& what,
                          const char* hint = "write the profile again, with python -m cProfile -o FILE") {
        throw Error(ErrorKind::input, Place{.file = input.name()}, what, hint);
    };
    std::string bytes;
    constexpr std::size_t block = std::size_t{1} << 16U;
    for (std::string_view piece = input.take(block); !piece.empty(); piece = input.take(block)) {
        bytes += piece;
        if (bytes.size() > most_bytes)
            fail(fmt::format("is larger than {} MiB, which no profile of Python is", most_bytes >> 20U),
                 "check that Python's cProfile wrote this file");
    }
    MarshalReader reader(bytes);
    if (!reader.open_dictionary()) fail("is no profile of Python's cProfile");
    const experiment::MetricId time = sink.metric("time", "s");
    const experiment::MetricId inclusive = sink.metric("time.inclusive", "s");
    const experiment::MetricId visits = sink.metric("visits", "");
    Part part;
    part.place = {.file = input.name()};
    MarshalValue key;
    MarshalValue value;
    try {
        while (reader.next(key, value)) {
            if (!is_function(key) || !is_record(value))
                fail(fmt::format("the entry at byte {} is no function with its calls and times",
                                 reader.offset()));
            const experiment::RegionId region = sink.builder.region(region_of(key));
            part.add(region, time, value[2].number());
            part.add(region, inclusive, value[3].number());
            part.add(region, visits, value[1].number());
        }
    } catch (const MarshalDamage& damage) {
        fail(fmt::format("{} at byte {}", damage.what, reader.offset()));
    }
    sink.parts.push_back(std::move(part));
}

}  // namespace plimsoll::profile::detail
