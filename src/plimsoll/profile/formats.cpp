#include "plimsoll/profile/detail/formats.hpp"

#include <array>

#include "plimsoll/profile/format.hpp"

namespace plimsoll::profile {

namespace {

/// A new format is one file and one line here. Each is recognised by marks that no other file has.
constexpr std::array table{
    ProfileFormat{.name = "caliper",
                  .description = "Caliper profiles (.cali)",
                  .example = "CALI_CONFIG=spot ./app",
                  .matches = detail::is_caliper,
                  .read = detail::read_caliper},
};

}  // namespace

std::span<const ProfileFormat> formats() { return table; }

}  // namespace plimsoll::profile
