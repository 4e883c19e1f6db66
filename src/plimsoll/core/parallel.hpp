#pragma once

#include <cstddef>
#include <functional>

#include "plimsoll/core/progress.hpp"

namespace plimsoll {

/// Number of threads for a request of `requested`, where 0 asks for one per core.
[[nodiscard]] int thread_count(int requested);

/// Calls `body(begin, end)` for ranges that cover 0 … count - 1 once, on several threads.
///
/// Which thread takes which range is left open, so `body` writes to places that depend on the index alone
/// and the result is the same on any number of threads. Progress is told on the calling thread. The first
/// exception is thrown again here once all threads have ended; `Cancelled` where the user asked to stop.
void parallel_for(std::size_t count, int threads, Activity& activity,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

}  // namespace plimsoll
