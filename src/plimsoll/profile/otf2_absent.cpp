// In place of otf2_reader.cpp where the library of OTF2 is not there.

#include "plimsoll/core/error.hpp"
#include "plimsoll/profile/detail/formats.hpp"

namespace plimsoll::profile::detail {

void read_otf2(Input& input, Sink& /*sink*/) {
    throw Error(
        ErrorKind::environment, Place{.file = input.name()},
        "is a trace in OTF2, which this plimsoll was built without",
        "install libopen-trace-format2-dev and build plimsoll again, or take a profile of the same program");
}

}  // namespace plimsoll::profile::detail
