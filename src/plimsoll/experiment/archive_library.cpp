#include "plimsoll/experiment/detail/archive_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "plimsoll/core/error.hpp"

namespace plimsoll::experiment::detail {

void* archive_symbol(const char* name) {
    // Never unloaded: functions are kept until the program ends.
    static void* const library = dlopen(PLIMSOLL_ARCHIVE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library == nullptr ? nullptr : dlsym(library, name);
    if (symbol != nullptr) return symbol;
    const char* const reason = dlerror();
    throw Error(
        ErrorKind::environment,
        fmt::format("{} cannot be used ({})", PLIMSOLL_ARCHIVE_LIBRARY, reason == nullptr ? name : reason),
        "install libarchive (on Debian: libarchive13)");
}

}  // namespace plimsoll::experiment::detail
