#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/communicator.hpp"
#include "plimsoll/checkpoint/element_type.hpp"
#include "plimsoll/checkpoint/layout.hpp"
#include "plimsoll/checkpoint/levels.hpp"
#include "plimsoll/checkpoint/protected_array.hpp"
#include "plimsoll/checkpoint/save.hpp"
#include "plimsoll/checkpoint/storage.hpp"
#include "plimsoll/core/seconds.hpp"

namespace plimsoll::checkpoint {

struct SessionOptions {
    std::string folder;      ///< on a file system that all ranks see; made where it is not there
    std::uint64_t keep = 2;  ///< newest saves that stay beside those pinned; at least 2
    std::optional<std::uint64_t>
        memory;                         ///< bytes that copies may take on this rank; twice the state if empty
    Capture capture = Capture::copied;  ///< of arrays for which set_capture says nothing else
    unsigned copy_threads = 0;      ///< that copy arrays; 0: as many as this process has processors, up to 4
    std::uint64_t every_steps = 0;  ///< should_save: each step that this divides; 0: none
    std::optional<Seconds> every;   ///< should_save: once so long has gone since the last
    std::optional<Seconds>
        time_limit;             ///< should_save: once, before so long has gone since the session began
    std::optional<int> signal;  ///< should_save: once this signal came; the session takes it over
    Seconds patience{600.0};    ///< with ranks that are silent
    LocalLevel local;           ///< saves go to the node's own disk first, where that is named
};

/// What a restore found.
struct Restored {
    std::uint64_t step = 0;
    std::string save;                      ///< name of its folder
    std::vector<std::string> passed_over;  ///< why newer saves were not taken, one line each
    /// What the nodes' own folders did not hold unharmed although it was there, and where it came from
    /// instead, on this rank; one line for each file.
    std::vector<std::string> replaced;
};

/// A program's way to its checkpoints: it protects arrays, saves them now and then, and restores them when it
/// starts again.
///
///     checkpoint::Session session({.folder = "saves", .every_steps = 100});
///     session.protect("field", std::span(field));
///     std::uint64_t step = 0;
///     if (const auto restored = session.restore()) step = restored->step;
///     while (step < steps) {
///         advance(field);
///         if (session.should_save(++step)) session.save(step);
///     }
///     session.finish();
///
/// With several ranks all of them make the same calls in the same order; `save` itself waits for nobody. The
/// session's calls are for one thread. Nothing is printed, and no signal is taken over unasked.
class Session {
  public:
    /// Opens a folder, and sets right what a program left there that was killed. Throws where the folder
    /// cannot be written to, or another program does so.
    explicit Session(SessionOptions options, std::unique_ptr<Communicator> ranks = one_process(),
                     std::unique_ptr<Storage> storage = default_storage());
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    /// Waits for the saves under way; whether they fail is not told.
    ~Session();

    /// Protects an array that stays where it is: its elements are what `save` copies and `restore` fills.
    template <Element T>
    void protect(const std::string& name, std::span<T> values) {
        protect(name, values, Layout::own({values.size()}));
    }
    template <Element T>
    void protect(const std::string& name, std::span<T> values, const Layout& layout) {
        protect_bytes(name, element_type_of<T>(), std::as_writable_bytes(values), layout);
    }
    /// One number.
    template <Element T>
    void protect(const std::string& name, T& value, Layout::Kind kind = Layout::Kind::replicated) {
        protect_bytes(name, element_type_of<T>(), std::as_writable_bytes(std::span<T>(&value, 1)),
                      {.kind = kind, .box = whole({})});
    }
    /// Of whatever size it has when it is saved; `restore` resizes it. Each rank's own.
    template <Element T>
    void protect_resizable(const std::string& name, std::vector<T>& values) {
        add({.name = name,
             .type = element_type_of<T>(),
             .layout = {},
             .bytes = [&values] { return std::as_writable_bytes(std::span<T>(values)); },
             .resize = [&values](std::uint64_t count) { values.resize(count); }});
    }
    /// An array by its bytes, for types that C++ has no name for.
    void protect_bytes(const std::string& name, ElementType type, std::span<std::byte> bytes,
                       const Layout& layout);
    void release(const std::string& name);

    /// When an array is copied from now on. Of one that is captured lazily `save` only protects the pages,
    /// which takes microseconds; they are copied while the program goes on, at the latest by the thread that
    /// writes to them. Its memory must stay where it is until `fence`, `finish` or `release` returns, and
    /// until then the system and devices must not write to it: `read` fails with EFAULT, and what a device
    /// writes may get into the save. For large arrays of fixed size that the program itself computes.
    void set_capture(const std::string& name, Capture capture);
    /// Returns once no array is protected any more. To be called before `read`, a receive by MPI or a device
    /// writes to one that is captured lazily.
    void fence();

    /// Copies the protected arrays, and returns; they are written meanwhile. Waits where earlier copies leave
    /// no room within the memory budget; a state that is larger than it is written before this returns. A
    /// failure is told by the save, by `failures` and by `finish`. With a local level the ranks exchange a
    /// few numbers here, and so wait for each other.
    Save save(std::uint64_t step);

    /// Fills the protected arrays from the newest save that is whole on all ranks. Empty where there never
    /// was one. Throws where there are saves and none can be restored: the arrays then hold nothing of use.
    std::optional<Restored> restore();
    /// The same from the save of one step.
    Restored restore(std::uint64_t step);

    /// Whether it is time to save, by what the options ask for; all ranks get the answer of rank 0.
    bool should_save(std::uint64_t step);
    /// Whether the time limit is near or the signal came, so that the program should end after its next save.
    [[nodiscard]] bool should_stop() const;

    /// Keeps the save of a step, which must be durable, from being removed by retention. Any rank's call is
    /// enough.
    void pin(std::uint64_t step, const std::string& tag);

    /// Saves that failed, "step 40: disk full", and those that one level alone has missed; the oldest first,
    /// at most the last hundred.
    [[nodiscard]] std::vector<std::string> failures();
    /// Waits for all saves, and brings the last one to the shared folder if it is on the nodes' own disks
    /// alone. Throws on all ranks where it has failed on one.
    void finish();

  private:
    void add(ProtectedArray array);

    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::checkpoint
