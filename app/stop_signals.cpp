#include "app/stop_signals.hpp"

#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): POSIX, not C++
#include <sys/signalfd.h>

#include <cerrno>
#include <cstring>

#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

namespace {

sigset_t stop_set() {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
    struct sigaction hang_up {};
    ::sigaction(SIGHUP, nullptr, &hang_up);
    if (hang_up.sa_handler == SIG_IGN) ::sigdelset(&set, SIGHUP);  // nohup has it ignored
    return set;
}

}  // namespace

StopSignals::StopSignals() {
    const sigset_t set = stop_set();
    descriptor_ = launch::Descriptor(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (descriptor_.number() < 0)
        throw Error(ErrorKind::environment, fmt::format("cannot wait for signals: {}", std::strerror(errno)),
                    "raise the limit of open files (ulimit -n), or end programs that hold many");
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

StopSignals::~StopSignals() {
    const sigset_t set = stop_set();
    ::pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace plimsoll::app
