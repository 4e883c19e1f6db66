#pragma once

#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>

#include "plimsoll/core/input.hpp"

namespace plimsoll::profile::detail {

/// What OTF2's library says of an error, in place of printing it. One archive is read at a time.
class Otf2Complaints {
  public:
    Otf2Complaints();
    Otf2Complaints(const Otf2Complaints&) = delete;
    Otf2Complaints& operator=(const Otf2Complaints&) = delete;
    ~Otf2Complaints();

    /// The first one, which is the nearest to the cause; empty where there is none.
    [[nodiscard]] const std::string& first() const { return first_; }

    /// What was said so far was no error.
    void forget() { first_.clear(); }

  private:
    static OTF2_ErrorCode take(void* self, const char* file, std::uint64_t line, const char* function,
                               OTF2_ErrorCode code, const char* format, va_list arguments);

    OTF2_ErrorCallback before_;
    std::string first_;
};

struct Otf2Close {
    void operator()(OTF2_Reader* reader) const { (void)OTF2_Reader_Close(reader); }
    void operator()(OTF2_GlobalDefReaderCallbacks* callbacks) const {
        OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    }
    void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};

/// An open archive, whose errors are ours.
class Otf2Archive {
  public:
    /// Opens the archive of an anchor file. Throws an input error where that cannot be done.
    explicit Otf2Archive(const Input& anchor);

    [[nodiscard]] OTF2_Reader* get() const { return reader_.get(); }

    /// Throws an input error, with the library's complaint where there is one.
    [[noreturn]] void fail(const std::string& what) const;

    /// Throws what a callback has thrown, or an input error where the library failed.
    void check(OTF2_ErrorCode code, const std::string& what) const;

    /// What the library said so far was no error.
    void forget_complaints() { complaints_.forget(); }

    /// What a callback does, without exceptions that would cross the library. Stops where the user asks to.
    template <class Work>
    OTF2_CallbackCode guard(Work work) noexcept {
        try {
            constexpr std::uint64_t calls_between_polls = 1U << 16U;
            if (++calls_ % calls_between_polls == 0) anchor_->poll();
            work();
            return OTF2_CALLBACK_SUCCESS;
        } catch (...) {
            thrown_ = std::current_exception();
            return OTF2_CALLBACK_INTERRUPT;
        }
    }

  private:
    const Input* anchor_;
    Otf2Complaints complaints_;
    std::unique_ptr<OTF2_Reader, Otf2Close> reader_;
    std::exception_ptr thrown_;
    std::uint64_t calls_ = 0;
};

}  // namespace plimsoll::profile::detail
