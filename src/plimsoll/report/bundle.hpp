#pragma once

#include <string_view>

namespace plimsoll::report {

/// The page's program and style, as `web/build.mjs` made them, with their SHA-256 digests in base64, by which
/// the page allows these and no other ones.
struct Bundle {
    std::string_view script;
    std::string_view script_digest;
    std::string_view style;
    std::string_view style_digest;
};

/// What was built into this library. Throws an environment error where that was left out.
[[nodiscard]] const Bundle& bundle();

}  // namespace plimsoll::report
