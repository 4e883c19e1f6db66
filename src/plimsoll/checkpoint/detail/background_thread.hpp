#pragma once

namespace plimsoll::checkpoint::detail {

/// Makes the calling thread one that never takes a processor from the thread that wakes it (SCHED_BATCH): a
/// program that saves goes on at once, and does not wait for a time slice of ours. A wish.
void let_the_waking_thread_go_on() noexcept;

}  // namespace plimsoll::checkpoint::detail
