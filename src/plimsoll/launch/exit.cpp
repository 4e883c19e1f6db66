#include "plimsoll/launch/exit.hpp"

#include <fmt/format.h>
#include <string.h>  // NOLINT(modernize-deprecated-headers): sigdescr_np stands in no other

namespace plimsoll::launch {

std::string describe(const Exit& exit) {
    if (exit.signal != 0) {
        const char* const name = ::sigdescr_np(exit.signal);
        return fmt::format("signal {} ({})", exit.signal, name == nullptr ? "unknown" : name);
    }
    return exit.code == 0 ? "success" : fmt::format("exit code {}", exit.code);
}

}  // namespace plimsoll::launch
