#include "plimsoll/checkpoint/detail/background_thread.hpp"

#include <pthread.h>
#include <sched.h>

namespace plimsoll::checkpoint::detail {

void let_the_waking_thread_go_on() noexcept {
    const sched_param none{};
    ::pthread_setschedparam(::pthread_self(), SCHED_BATCH, &none);
}

}  // namespace plimsoll::checkpoint::detail
