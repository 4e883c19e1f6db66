#include "plimsoll/checkpoint/detail/fault_handler.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plimsoll/checkpoint/detail/lazy_copy.hpp"
#include "plimsoll/core/error.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

using Copies = std::vector<LazyCopy*>;

// A handler has no other way to what it works with than these.
// NOLINTBEGIN(*-avoid-non-const-global-variables)
std::mutex changing;                        ///< who replaces the list; never taken by the handler
std::atomic<const Copies*> known{nullptr};  ///< replaced as a whole
std::atomic<int> handlers_at_work{0};
struct sigaction taken_from {};          ///< who had the signal before
std::atomic<bool> may_come_back{false};  ///< they may have had it from us, and pass faults on to us
std::atomic<pid_t> passing_on{0};        ///< then: the thread that is with them

/// A thread may fault on a granule, and its handler start when the copy is forgotten: its page may be written
/// to by then, and the fault means nothing. So many faults that nobody knows are let go for each copy that is
/// forgotten; a fault of the program's own comes again until they are used up.
constexpr int late_faults = 4096;
std::atomic<int> late_faults_left{0};
// NOLINTEND(*-avoid-non-const-global-variables)

void die_of_fault() {
    // The instruction is met again, and ends the program as if nobody had taken the signal over.
    ::signal(SIGSEGV, SIG_DFL);
}

void call_taken_from(int number, siginfo_t* info, void* context) {
    if ((taken_from.sa_flags & SA_SIGINFO) != 0) {
        taken_from.sa_sigaction(number, info, context);
    } else {
        taken_from.sa_handler(number);
    }
}

/// What would have happened without us.
void pass_on(int number, siginfo_t* info, void* context) {
    if (taken_from.sa_handler == SIG_DFL || taken_from.sa_handler == SIG_IGN) {
        die_of_fault();
    } else if (!may_come_back.load()) {
        call_taken_from(number, info, context);
    } else {
        const auto thread = static_cast<pid_t>(::syscall(SYS_gettid));
        if (passing_on.load() == thread) {
            die_of_fault();
            return;
        }
        for (pid_t nobody = 0; !passing_on.compare_exchange_weak(nobody, thread); nobody = 0) ::sched_yield();
        call_taken_from(number, info, context);
        passing_on.store(0);
    }
}

bool is_answered(const void* place) {
    bool is_ours = false;
    handlers_at_work.fetch_add(1);
    if (const Copies* const copies = known.load()) {
        is_ours = std::any_of(copies->begin(), copies->end(), [&](LazyCopy* copy) {
            return copy->answer_fault(static_cast<const std::byte*>(place));
        });
    }
    handlers_at_work.fetch_sub(1);
    return is_ours;
}

void on_fault(int number, siginfo_t* info, void* context) {
    const int error = errno;
    const bool is_ours = info->si_code > 0 && is_answered(info->si_addr);
    const bool is_late = !is_ours && info->si_code == SEGV_ACCERR && late_faults_left.load() > 0 &&
                         late_faults_left.fetch_sub(1) > 0;
    if (!is_ours && !is_late) pass_on(number, info, context);
    errno = error;
}

/// With `changing` held.
void replace_known(Copies copies) {
    const std::unique_ptr<const Copies> before(known.load());
    known.store(copies.empty() ? nullptr : std::make_unique<const Copies>(std::move(copies)).release());
    while (handlers_at_work.load() != 0) ::sched_yield();
}

/// In a child, whose other threads are not there: nobody copies.
void free_child() {
    if (const Copies* const copies = known.load()) {
        for (LazyCopy* copy : *copies) copy->abandon();
    }
    known.store(nullptr);  // the list itself is given up: handlers that the child does not have may hold it
    handlers_at_work.store(0);
    changing.unlock();
}

void take_signal_over() {
    struct sigaction now {};
    if (::sigaction(SIGSEGV, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
        now.sa_sigaction == on_fault)
        return;
    struct sigaction ours {};
    ours.sa_sigaction = on_fault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigfillset(&ours.sa_mask);
    static bool was_taken = false;
    may_come_back.store(std::exchange(was_taken, true));
    taken_from = now;
    if (::sigaction(SIGSEGV, &ours, nullptr) != 0)
        throw Error(ErrorKind::environment,
                    fmt::format("SIGSEGV cannot be taken over: {}", std::strerror(errno)),
                    "capture by copying");
    static const int is_told_of_forks =
        ::pthread_atfork([] { changing.lock(); }, [] { changing.unlock(); }, free_child);
    static_cast<void>(is_told_of_forks);
}

}  // namespace

void watch_faults(LazyCopy& copy) {
    const std::lock_guard lock(changing);
    take_signal_over();
    Copies copies = known.load() != nullptr ? *known.load() : Copies();
    copies.push_back(&copy);
    replace_known(std::move(copies));
}

void forget_faults(LazyCopy& copy) {
    const std::lock_guard lock(changing);
    if (known.load() == nullptr) return;  // as in the child of a fork
    Copies copies = *known.load();
    std::erase(copies, &copy);
    late_faults_left.store(late_faults);
    replace_known(std::move(copies));
}

void finish_copies_of(const void* begin, const void* end) {
    Copies covering;
    {
        const std::lock_guard lock(changing);
        if (known.load() == nullptr) return;
        for (LazyCopy* copy : *known.load()) {
            if (copy->covers(static_cast<const std::byte*>(begin), static_cast<const std::byte*>(end)))
                covering.push_back(copy);
        }
    }
    for (LazyCopy* copy : covering) copy->copy_all();
}

SignalsHeldBack::SignalsHeldBack() : before_{} {
    sigset_t all;
    sigfillset(&all);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsHeldBack::~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace plimsoll::checkpoint::detail
