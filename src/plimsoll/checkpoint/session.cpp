#include "plimsoll/checkpoint/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <new>
#include <unordered_set>
#include <utility>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/detail/capture.hpp"
#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/checkpoint/detail/folder_setup.hpp"
#include "plimsoll/checkpoint/detail/image_copy.hpp"
#include "plimsoll/checkpoint/detail/lazy_copier.hpp"
#include "plimsoll/checkpoint/detail/level_writers.hpp"
#include "plimsoll/checkpoint/detail/restorer.hpp"
#include "plimsoll/checkpoint/detail/save_timing.hpp"
#include "plimsoll/checkpoint/pack.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint {

namespace {

constexpr std::size_t most_failures = 100;

}  // namespace

class Session::Implementation {
  public:
    Implementation(SessionOptions options, std::unique_ptr<Communicator> ranks,
                   std::unique_ptr<Storage> storage)
        : options_(std::move(options)),
          ranks_(std::move(ranks)),
          storage_(std::move(storage)),
          timing_(options_) {
        if (options_.folder.empty())
            throw Error(ErrorKind::usage, "no folder to save to is given", "set SessionOptions::folder");
        if (options_.keep < 2)
            throw Error(ErrorKind::usage, fmt::format("keeping {} save is not enough", options_.keep),
                        "keep 2 at least: the newest may be the one that is damaged");
        open_folder();
        if (!options_.local.folder.empty()) {
            node_ = detail::set_up_node(*storage_, *ranks_, options_.local);
            next_sequence_ = std::max(next_sequence_, node_->next_sequence);
        }
        writers_.emplace(*storage_, pool_, options_, *ranks_, node());
    }

    void add(ProtectedArray item) {
        check_array_name(item.name);
        if (names_.contains(item.name))
            throw Error(ErrorKind::usage, fmt::format("array '{}' is protected already", item.name),
                        "choose another name, or release it first");
        if (!item.resize) {
            const std::uint64_t wanted = element_count(item.layout.box.shape) * size_of(item.type);
            if (!is_inside(item.layout.box) || item.bytes().size() != wanted) {
                throw Error(
                    ErrorKind::usage,
                    fmt::format("array '{}' has {} bytes for a box of {} at {} of {}", item.name,
                                item.bytes().size(), shape_text(item.layout.box.shape),
                                shape_text(item.layout.box.offset), shape_text(item.layout.box.global)),
                    "check its layout");
            }
        }
        item.capture = options_.capture;
        names_.insert(item.name);
        items_.push_back(std::move(item));
    }

    void set_capture(const std::string& name, Capture capture) {
        const auto item = std::find_if(items_.begin(), items_.end(),
                                       [&](const ProtectedArray& other) { return other.name == name; });
        if (item == items_.end())
            throw Error(ErrorKind::usage, fmt::format("array '{}' is not protected", name), near_names(name));
        item->capture = capture;
    }

    void fence() { copier_.finish(); }

    void release(const std::string& name) {
        fence();
        if (std::erase_if(items_, [&](const ProtectedArray& item) { return item.name == name; }) == 0)
            throw Error(ErrorKind::usage, fmt::format("array '{}' is not protected", name), near_names(name));
        names_.erase(name);
    }

    Save save(std::uint64_t step) {
        auto progress = std::make_shared<detail::SaveProgress>(step);
        detail::SaveJob job{.save = fmt::format("{}-{}", identity_, next_sequence_),
                            .step = step,
                            .sequence = next_sequence_,
                            .progress = progress};
        progress->set_goal(writers_->goal_of(next_sequence_));
        ++next_sequence_;
        bool writes_through = false;
        fence();
        try {
            writes_through = !detail::capture(
                job, items_, place(), pool_,
                {.memory = options_.memory,
                 .threads = options_.copy_threads > 0 ? options_.copy_threads : detail::copying_threads()});
        } catch (const std::bad_alloc&) {
            job.failure = "out of memory for a copy of the arrays";
        } catch (const Error& error) {
            job.failure = error.what();
        }
        if (!writes_through) progress->reach(Stage::captured);
        remember(progress);
        timing_.begin_save();
        if (job.lazy) copier_.submit(job.lazy);
        writers_->submit(std::move(job));
        // The arrays themselves are read, so nobody may change them before that is done.
        if (writes_through) progress->wait(Stage::local, std::nullopt);
        return Save(std::move(progress));
    }

    std::optional<Restored> restore(std::optional<std::uint64_t> step) {
        finish_writing();
        return detail::Restorer(*storage_, *ranks_, options_, node(), items_).restore(step);
    }

    bool should_save(std::uint64_t step) {
        if (!timing_.needs_agreement()) return timing_.ask(step, longest_save_).saves;
        std::string answer;
        if (rank() == 0) {
            sort_out();
            const detail::SaveTiming::Answer mine = timing_.ask(step, longest_save_);
            answer = {mine.saves ? '1' : '0', mine.stops ? '1' : '0'};
        }
        answer = ranks_->broadcast(answer);
        is_stopping_ = answer.ends_with('1');
        return answer.starts_with('1');
    }

    [[nodiscard]] bool should_stop() const { return is_stopping_; }

    void pin(std::uint64_t step, const std::string& tag) {
        for (const SaveEntry& entry : read_catalog(*storage_, options_.folder).saves) {
            if (entry.commit.step == step && pin_save(*storage_, options_.folder, entry.name, tag)) return;
        }
        throw Error(ErrorKind::usage, fmt::format("there is no save of step {} in {}", step, options_.folder),
                    "wait until a save is durable before pinning it");
    }

    std::vector<std::string> failures() {
        sort_out();
        return {failures_.begin(), failures_.end()};
    }

    void finish() {
        const auto last = saves_.empty() ? nullptr : saves_.back();
        writers_->share_last();
        sort_out();
        const std::vector<std::string> told = ranks_->gather(last ? last->failure() : "");
        for (std::size_t r = 0; r < told.size(); ++r) {
            if (told[r].empty()) continue;
            throw Error(ErrorKind::environment,
                        fmt::format("the last save failed{}: {}",
                                    size() > 1 ? fmt::format(" on rank {}", r) : "", told[r]),
                        "the saves before it are as they were");
        }
    }

  private:
    [[nodiscard]] std::uint64_t rank() const { return static_cast<std::uint64_t>(ranks_->rank()); }
    [[nodiscard]] detail::RankPosition place() const { return {.rank = rank(), .ranks = size()}; }
    [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(ranks_->size()); }

    [[nodiscard]] const detail::Node* node() const { return node_ ? &*node_ : nullptr; }

    void open_folder() {
        std::string told;
        if (rank() == 0) {
            try {
                detail::FolderSetup setup = detail::set_up_folder(*storage_, options_.folder);
                lock_ = std::move(setup.lock);
                told = fmt::format("{} {}", detail::random_id(), setup.next_sequence);
            } catch (const Error& error) {
                told = told_error(error);
            }
        }
        told = ranks_->broadcast(told);
        if (told.starts_with('!')) throw_told(told);
        const std::size_t blank = told.find(' ');
        identity_ = told.substr(0, blank);
        next_sequence_ = static_cast<std::uint64_t>(parse_whole(told.substr(blank + 1)).value_or(1));
    }

    [[nodiscard]] std::string near_names(const std::string& name) const {
        std::vector<std::string> names;
        for (const ProtectedArray& item : items_) names.push_back(item.name);
        const auto near = nearest(name, names);
        return near ? fmt::format("did you mean '{}'?", *near) : "protect it first";
    }

    void remember(const std::shared_ptr<detail::SaveProgress>& progress) {
        sort_out();
        saves_.push_back(progress);
    }

    /// Lets go of saves that are over, and keeps why they failed; the last one is kept for `finish`.
    void sort_out() {
        while (!saves_.empty() && saves_.front()->is_over()) {
            const auto& save = saves_.front();
            longest_save_ = std::max(longest_save_, save->time_taken());
            if (const std::string why = save->failure(); !why.empty() && save != told_) {
                failures_.push_back(fmt::format("step {}: {}", save->step(), why));
                if (failures_.size() > most_failures) failures_.pop_front();
                told_ = save;
            } else if (const std::string remark = save->remark(); !remark.empty() && save != told_) {
                failures_.push_back(fmt::format("step {}: {}", save->step(), remark));
                if (failures_.size() > most_failures) failures_.pop_front();
                told_ = save;
            }
            if (saves_.size() == 1) return;
            saves_.pop_front();
        }
    }

    void finish_writing() {
        fence();
        writers_->finish();
        sort_out();
    }

    /// "!MESSAGE" and a line with the hint, which rank 0 tells where something failed: all ranks end alike.
    static std::string told_error(const Error& error) {
        return fmt::format("!{}\n{}", error.what(), error.hint());
    }
    [[noreturn]] static void throw_told(const std::string& told) {
        const std::size_t line = told.find('\n');
        throw Error(ErrorKind::environment, told.substr(1, line - 1), told.substr(line + 1));
    }

    SessionOptions options_;
    std::unique_ptr<Communicator> ranks_;
    std::unique_ptr<Storage> storage_;
    std::unique_ptr<FolderLock> lock_;
    std::optional<detail::Node> node_;  ///< where there is a local level
    std::string identity_;              ///< of this session, the same on all ranks
    std::uint64_t next_sequence_ = 1;
    std::vector<ProtectedArray> items_;
    std::unordered_set<std::string> names_;                    ///< of them; there may be ten thousand
    std::deque<std::shared_ptr<detail::SaveProgress>> saves_;  ///< under way, and the last one
    std::shared_ptr<detail::SaveProgress> told_;               ///< whose failure was kept last
    std::deque<std::string> failures_;
    Seconds longest_save_{0.0};
    bool is_stopping_ = false;
    detail::SaveTiming timing_;
    detail::StagingPool pool_;
    std::optional<detail::LevelWriters> writers_;  // behind what it works with, since it ends before that
    detail::LazyCopier copier_;
};

Session::Session(SessionOptions options, std::unique_ptr<Communicator> ranks,
                 std::unique_ptr<Storage> storage)
    : implementation_(
          std::make_unique<Implementation>(std::move(options), std::move(ranks), std::move(storage))) {}

Session::~Session() = default;

void Session::add(ProtectedArray array) { implementation_->add(std::move(array)); }

void Session::protect_bytes(const std::string& name, ElementType type, std::span<std::byte> bytes,
                            const Layout& layout) {
    add({.name = name, .type = type, .layout = layout, .bytes = [bytes] { return bytes; }, .resize = {}});
}

void Session::release(const std::string& name) { implementation_->release(name); }
void Session::set_capture(const std::string& name, Capture capture) {
    implementation_->set_capture(name, capture);
}
void Session::fence() { implementation_->fence(); }
Save Session::save(std::uint64_t step) { return implementation_->save(step); }
std::optional<Restored> Session::restore() { return implementation_->restore(std::nullopt); }
Restored Session::restore(std::uint64_t step) { return *implementation_->restore(step); }
bool Session::should_save(std::uint64_t step) { return implementation_->should_save(step); }
bool Session::should_stop() const { return implementation_->should_stop(); }
void Session::pin(std::uint64_t step, const std::string& tag) { implementation_->pin(step, tag); }
std::vector<std::string> Session::failures() { return implementation_->failures(); }
void Session::finish() { implementation_->finish(); }

}  // namespace plimsoll::checkpoint
