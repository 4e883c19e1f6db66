#include "test/support/shared_data.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace plimsoll::test {

std::optional<std::string> shared_path(const std::string& relative) {
    const char* const chosen = std::getenv("PLIMSOLL_SHARED");
    const std::filesystem::path root = chosen != nullptr
                                           ? std::filesystem::path(chosen)
                                           : std::filesystem::path(PLIMSOLL_SOURCE_DIR) / ".." / "shared";
    const std::filesystem::path path = (root / relative).lexically_normal();
    if (std::filesystem::exists(path)) return path.string();
    const char* const required = std::getenv("PLIMSOLL_REQUIRE_SHARED");
    if (required != nullptr && std::string(required) == "1") {
        throw std::runtime_error("PLIMSOLL_REQUIRE_SHARED is set, but there is no " + path.string());
    }
    return std::nullopt;
}

}  // namespace plimsoll::test
