// In place of the bundle that web/build.mjs makes, where Node.js and npm are not there.

#include "plimsoll/core/error.hpp"
#include "plimsoll/report/bundle.hpp"

namespace plimsoll::report {

const Bundle& bundle() {
    throw Error(ErrorKind::environment, "this plimsoll was built without the page that reports are made of",
                "install nodejs and npm and build plimsoll again");
}

}  // namespace plimsoll::report
