#pragma once

/// Times the regions of a C or C++ program, and appends them to a file of measurements when it ends.
///
///     C++   PLIMSOLL_REGION("solve");                until the end of the block
///     C     PLIMSOLL_REGION_BEGIN("solve"); ... PLIMSOLL_REGION_END();
///     run   PLIMSOLL_REGIONS=runs.jsonl PLIMSOLL_PARAMETERS="p=4,n=1000" ./program
///
/// This file and those in region/ are all there is: nothing is linked. C99 and C++11 or later, GCC or Clang,
/// Linux. Without PLIMSOLL_REGIONS nothing is measured or written. docs/guide/regions.md is the manual.

#include "region/tree.hpp"
#include "region/write.hpp"

/// Begins and ends a region; its name is a string literal. An end without a beginning does nothing.
#define PLIMSOLL_REGION_BEGIN(name) plimsoll_region_begin("" name)
#define PLIMSOLL_REGION_END() plimsoll_region_end()

#ifdef __cplusplus

#include <cstddef>
#include <utility>

namespace plimsoll {

namespace detail {

/// String literals stay where they are, so that their address tells them apart. Other names are copied.
template <class Name>
struct IsLiteral {
    static constexpr bool value = false;
};
template <std::size_t size>
struct IsLiteral<const char (&)[size]> {
    static constexpr bool value = true;
};

inline const char* region_name(const char* name) { return name; }
template <class String>
auto region_name(const String& name) -> decltype(name.c_str()) {
    return name.c_str();
}

}  // namespace detail

/// A region from here to the end of the block. Regions inside that were not ended end with it.
class Region {
  public:
    template <class Name>
    explicit Region(Name&& name)  // NOLINT(bugprone-forwarding-reference-overload): there are no copies
        : thread_(plimsoll_region_this_thread()),
          node_(thread_ ? enter(thread_->current, std::forward<Name>(name)) : nullptr) {}

    /// Below `parent`, which may be of another thread: for the threads of a team that works for it.
    template <class Name>
    Region(Name&& name, const Region& parent)
        : thread_(plimsoll_region_this_thread()),
          node_(thread_ ? enter(plimsoll_region_mirrored(thread_, parent.node_), std::forward<Name>(name))
                        : nullptr) {}

    ~Region() {
        if (thread_) plimsoll_region_close(thread_, node_);
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

  private:
    template <class Name>
    plimsoll_region_node* enter(plimsoll_region_node* parent, Name&& name) {
        return plimsoll_region_enter(
            thread_, parent, detail::region_name(name),
            detail::IsLiteral<Name&&>::value ? plimsoll_region_literal : plimsoll_region_copied);
    }

    plimsoll_region_thread* thread_;  ///< null where nothing is measured
    plimsoll_region_node* node_;      ///< null where the tree is too deep
};

}  // namespace plimsoll

/// The rest of the block is a region; its name is a string literal.
#define PLIMSOLL_REGION(name) \
    const ::plimsoll::Region PLIMSOLL_REGION_JOIN(plimsoll_region_of_line_, __LINE__)("" name)
#define PLIMSOLL_REGION_JOIN(a, b) PLIMSOLL_REGION_JOIN_EXPANDED(a, b)
#define PLIMSOLL_REGION_JOIN_EXPANDED(a, b) a##b

#endif
