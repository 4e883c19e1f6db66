#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plimsoll/core/file.hpp"
#include "plimsoll/experiment/detail/zip.hpp"
#include "test/support/read_text.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::test {

/// Names and contents of the members of an archive, in order.
using Members = std::vector<std::pair<std::string, std::string>>;

/// A ZIP archive; documents are compressed, other members are stored.
inline std::string archive_of(const Members& members) {
    const TemporaryFolder folder;
    OutputFile file(folder / "a.zip");
    experiment::detail::ZipWriter zip(file);
    for (const auto& [name, content] : members) {
        if (name.ends_with(".json")) {
            zip.begin_packed(name);
        } else {
            zip.begin_stored(name, content.size());
        }
        zip.write(content);
    }
    zip.finish();
    file.commit();
    return read_file(folder / "a.zip");
}

inline experiment::Experiment read_archive(const std::string& archive) {
    return read_experiment(archive, {}, "a.extra-p");
}

/// Message of the input error that reading an archive ends in; empty where it reads well.
inline std::string archive_error(const std::string& archive) {
    try {
        (void)read_archive(archive);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        EXPECT_FALSE(error.hint().empty());
        return error.what();
    }
    return "";
}

/// An experiment.json with one region and metric and these measurements.
inline std::string document(const std::string& measurements, const std::string& more = "") {
    return R"({"Extra-P":"4.2.5",)" + more + R"("parameters":["p"],"measurements":{"main":{"time":[)" +
           measurements + "]}}}";
}

/// The bytes of some numbers, as they lie in memory or reversed.
template <class Number>
[[nodiscard]] std::string cells_of(std::initializer_list<Number> numbers, bool reversed = false) {
    std::string bytes;
    for (const Number number : numbers) {
        std::string one(reinterpret_cast<const char*>(&number), sizeof number);
        if (reversed) std::reverse(one.begin(), one.end());
        bytes += one;
    }
    return bytes;
}

}  // namespace plimsoll::test
