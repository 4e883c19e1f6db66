#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::experiment::detail {

/// The configuration that the name of a profile's folder tells: `mm.p64n1000.r1` is p = 64, n = 1000.
struct CubeFolderName {
    std::vector<std::string> names;  ///< each once, in order of the text
    std::vector<double> values;      ///< of each name, finite
    bool doubtful_exponent = false;  ///< holds something like `n1e6`, read as n = 1 and e = 6
};

/// Understands `[PREFIX.]NAME VALUE ([.,_-]NAME VALUE)*[.rREPETITION]`; empty where the text is not of this
/// form.
///
/// A name consists of letters, with `_`, `-` and blanks inside; `=` or `_` may stand between it and its
/// value. A value may have a sign, a decimal point or comma, and an exponent with a sign (`1e-5`): without
/// one, `n1e6` is taken as two parameters, as Extra-P does. The prefix holds no point. Of several readings
/// the one without a prefix counts.
[[nodiscard]] std::optional<CubeFolderName> parse_cube_folder_name(std::string_view text);

}  // namespace plimsoll::experiment::detail
