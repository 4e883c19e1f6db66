#include "plimsoll/core/system_hint.hpp"

#include <cerrno>

namespace plimsoll {

std::string system_hint(int code, std::string otherwise) {
    switch (code) {
        case ENOSPC:
        case EDQUOT: return "free some space, or write to another disk";
        case EROFS: return "the disk cannot be written to: choose another one";
        case ENAMETOOLONG: return "check the path, or choose a shorter one";
        case ELOOP: return "check where the link leads: it comes back to itself";
        case EMFILE:
        case ENFILE: return "raise the limit of open files (ulimit -n), or end programs that hold many";
        default: return otherwise;
    }
}

}  // namespace plimsoll
