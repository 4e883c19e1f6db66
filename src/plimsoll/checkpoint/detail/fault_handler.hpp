#pragma once

#include <csignal>

namespace plimsoll::checkpoint::detail {

class LazyCopy;

/// Tells the handler of page faults of a copy, before its memory is protected. The first call takes over
/// SIGSEGV from whoever has it; faults that are no copy's go on to them. Where somebody took it over since,
/// it is taken back, and faults go on to them. It stays taken: a thread may come late with a fault.
void watch_faults(LazyCopy& copy);

/// Returns once no handler works with the copy any more; it may be gone already.
void forget_faults(LazyCopy& copy);

/// Finishes the copies under way that cover some of this memory.
void finish_copies_of(const void* begin, const void* end);

/// Keeps other signals' handlers off this thread while it copies: one might write to the very granule, and
/// would wait for itself.
class SignalsHeldBack {
  public:
    SignalsHeldBack();
    SignalsHeldBack(const SignalsHeldBack&) = delete;
    SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;
    ~SignalsHeldBack();

  private:
    sigset_t before_;
};

}  // namespace plimsoll::checkpoint::detail
