#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "plimsoll/campaign/stream_file.hpp"
#include "plimsoll/core/error.hpp"

/// A file of arbitrary bytes gives output or an input error, from any place in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace plimsoll;
    static const std::string path = "/tmp/plimsoll-stream-" + std::to_string(::getpid());
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return 0;
    std::fwrite(data, 1, size, file);
    std::fclose(file);
    const auto place = static_cast<std::int64_t>(size == 0 ? 0 : data[0] % 128);
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{49}, place}) {
        try {
            (void)campaign::read_stream(path, at);
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::input) throw;
        }
    }
    (void)campaign::scan_stream(path, {{1}, 0}, 1);
    ::unlink(path.c_str());
    return 0;
}
