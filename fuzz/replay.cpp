// Stands in for libFuzzer where a target is built as a test: runs it over the files of the folders given, cut
// short and with single bits turned over, so that a target that no longer compiles or holds is found without
// clang.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "plimsoll/core/file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t most_changes = 64;  ///< variants of one input

void run(const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

/// The input whole, cut at even steps, and with one bit in each of as many places turned over.
std::size_t run_variants(const std::string& bytes) {
    run(bytes);
    const std::size_t changes = std::min(most_changes, bytes.size());
    for (std::size_t i = 0; i < changes; ++i) {
        const std::size_t place = i * bytes.size() / changes;
        run(bytes.substr(0, place));
        std::string changed = bytes;
        changed[place] = static_cast<char>(changed[place] ^ (1 << (i % 8)));
        run(changed);
    }
    return 1 + 2 * changes;
}

}  // namespace

int main(int count, char** arguments) try {
    std::vector<std::filesystem::path> files;
    for (int i = 1; i < count; ++i) {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
            if (entry.is_regular_file()) files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) {
        fmt::print(stderr, "error: no inputs in the folders given\n");
        return 2;
    }
    std::size_t runs = 0;
    for (const auto& file : files) runs += run_variants(plimsoll::read_file(file.string()));
    fmt::print("{} inputs, {} runs\n", files.size(), runs);
    return 0;
} catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 1;
}
