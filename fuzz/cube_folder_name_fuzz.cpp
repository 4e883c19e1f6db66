#include <cstdint>
#include <string_view>

#include "plimsoll/core/error.hpp"
#include "plimsoll/experiment/detail/cube_folder_name.hpp"

/// Any text is either no folder name of ours or gives a value for each name.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto folder = plimsoll::experiment::detail::parse_cube_folder_name(text)) {
        PLIMSOLL_EXPECT(!folder->names.empty() && folder->names.size() == folder->values.size());
    }
    return 0;
}
