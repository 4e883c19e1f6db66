// In place of otf2_reader.cpp where the library of OTF2 is not there.

#include "plimsoll/core/error.hpp"
#include "plimsoll/profile/detail/otf2_anchor.hpp"

namespace plimsoll::profile::detail {

void read_otf2_archive(Input& anchor, Sink& /*sink*/, Activity* /*activity*/) {
    throw Error(ErrorKind::environment, Place{.file = anchor.name()},
                "is a trace in OTF2, which this plimsoll was built without",
                "install libopen-trace-format2-dev and build plimsoll again");
}

}  // namespace plimsoll::profile::detail
