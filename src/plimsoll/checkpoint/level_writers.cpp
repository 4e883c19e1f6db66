#include "plimsoll/checkpoint/detail/level_writers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/checkpoint/detail/folder_setup.hpp"
#include "plimsoll/checkpoint/detail/pack_reader.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

constexpr std::size_t most_waiting =
    1;  ///< saves that wait for the shared folder before local ones wait for them

std::string host_name() {
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Node set_up_node(Storage& storage, Communicator& ranks, const LocalLevel& level) {
    if (level.keep < 2)
        throw Error(ErrorKind::usage, fmt::format("keeping {} local save is not enough", level.keep),
                    "keep 2 at least: the newest may not be on all nodes yet");
    if (level.shared_every == 0)
        throw Error(ErrorKind::usage, "every 0th save cannot go to the shared folder",
                    "set LocalLevel::shared_every to 1 or more");
    const auto rank = static_cast<std::size_t>(ranks.rank());
    const std::vector<std::string> places = ranks.gather(host_name() + "\n" + level.folder);
    Node node;
    for (std::size_t r = 0; r < places.size(); ++r) {
        if (places[r] == places[rank]) node.members.push_back(r);
    }
    std::string told;
    if (node.first() == rank) {
        try {
            FolderSetup setup = set_up_folder(storage, level.folder);
            node.lock = std::move(setup.lock);
            told = fmt::format("{}", setup.next_sequence);
        } catch (const Error& error) {
            told = fmt::format("!{}\n{}", error.what(), error.hint());
        }
    }
    for (const std::string& text : ranks.gather(told)) {
        if (text.starts_with('!')) {
            const std::size_t line = text.find('\n');
            throw Error(ErrorKind::environment, text.substr(1, line - 1), text.substr(line + 1));
        }
        const std::uint64_t sequence =
            text.empty() ? 1 : static_cast<std::uint64_t>(parse_whole(text).value_or(1));
        node.next_sequence = std::max(node.next_sequence, sequence);
    }
    return node;
}

LevelWriters::LevelWriters(Storage& storage, StagingPool& pool, const SessionOptions& options,
                           Communicator& ranks, const Node* node)
    : storage_(&storage), level_(options.local), ranks_(&ranks) {
    WriterOptions to{.folder = options.folder,
                     .rank = static_cast<std::uint64_t>(ranks.rank()),
                     .ranks = static_cast<std::uint64_t>(ranks.size()),
                     .keep = options.keep,
                     .patience = options.patience};
    to.written = [](const SaveJob& job) { job.progress->reach(Stage::local); };
    to.done = [this](SaveJob& job, const std::string& failure) { after_shared(job, failure); };
    shared_.emplace(storage, pool, to);
    if (node == nullptr) return;
    to.folder = options.local.folder;
    to.keep = options.local.keep;
    to.members = node->members;
    to.written = [](const SaveJob&) {};
    to.done = [this](SaveJob& job, const std::string& failure) { after_local(job, failure); };
    to.may_remove = [this](const SaveEntry& entry) { return may_remove(entry); };
    local_.emplace(storage, pool, std::move(to));
}

Stage LevelWriters::goal_of(std::uint64_t sequence) const {
    return !local_ || sequence % level_.shared_every == 0 ? Stage::durable : Stage::local;
}

void LevelWriters::submit(SaveJob job) {
    if (!local_) {
        shared_->submit(std::move(job));
        return;
    }
    std::string mine;
    {
        const std::lock_guard lock(mutex_);
        mine = fmt::format("{}", newest_local_);
        last_local_.reset();
    }
    std::uint64_t common = ~std::uint64_t{0};
    for (const std::string& text : ranks_->gather(mine))
        common = std::min(common, static_cast<std::uint64_t>(parse_whole(text).value_or(0)));
    {
        const std::lock_guard lock(mutex_);
        common_ = common;
    }
    local_->submit(std::move(job));
}

void LevelWriters::finish() {
    if (local_) local_->finish();
    shared_->finish();
}

bool LevelWriters::may_remove(const SaveEntry& entry) {
    const std::lock_guard lock(mutex_);
    return entry.commit.sequence < common_ && !on_their_way_.contains(entry.commit.save);
}

SaveJob LevelWriters::from_local(const SaveJob& job) const {
    SaveJob copy{.save = job.save,
                 .step = job.step,
                 .sequence = job.sequence,
                 .arrays = job.arrays,
                 .progress = job.progress};
    for (const PackRecord& record : job.part->packs) copy.packs.push_back({.plan = {.bytes = record.bytes}});
    auto part = std::make_shared<const Part>(*job.part);
    std::shared_ptr<PackReader> reader;
    std::size_t open = 0;
    copy.read = [this, part, reader, open, save = job.save](std::size_t pack, std::uint64_t begin,
                                                            std::span<std::byte> into) mutable {
        if (!reader || open != pack) {
            const Catalog catalog = read_catalog(*storage_, level_.folder);
            const auto found =
                std::find_if(catalog.saves.begin(), catalog.saves.end(),
                             [&](const SaveEntry& entry) { return entry.commit.save == save; });
            if (found == catalog.saves.end())
                throw Error(ErrorKind::environment, Place{.file = level_.folder},
                            fmt::format("the save of step {} has gone before it was shared", part->step));
            const PackRecord& record = part->packs[pack];
            reader = std::make_shared<PackReader>(
                *storage_, fmt::format("{}/{}/{}", level_.folder, found->name, record.file), record);
            open = pack;
        }
        reader->read(begin, into);
    };
    return copy;
}

void LevelWriters::after_local(SaveJob& job, const std::string& failure) {
    const bool is_shared = goal_of(job.sequence) == Stage::durable;
    if (!failure.empty()) {
        if (!is_shared || !job.failure.empty()) {
            // A rank without a copy takes its turn at the shared folder all the same: the others wait for it.
            if (is_shared)
                shared_->submit(std::move(job));
            else
                job.progress->fail(failure);
            return;
        }
        job.progress->note(fmt::format("not in {}: {}", level_.folder, failure));
        shared_->submit(std::move(job));
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        newest_local_ = std::max(newest_local_, job.sequence);
        if (is_shared) {
            on_their_way_.insert(job.save);
        } else {
            last_local_ = from_local(job);
        }
    }
    if (is_shared) {
        shared_->wait_for_room(most_waiting);
        shared_->submit(from_local(job));
    }
    job.progress->reach(Stage::local);
}

void LevelWriters::after_shared(SaveJob& job, const std::string& failure) {
    if (failure.empty()) {
        job.progress->reach(Stage::durable);
    } else {
        job.progress->fail(failure);
    }
    const std::lock_guard lock(mutex_);
    on_their_way_.erase(job.save);
}

void LevelWriters::share_last() {
    finish();
    if (!local_) return;
    std::optional<SaveJob> last;
    {
        const std::lock_guard lock(mutex_);
        last = std::exchange(last_local_, std::nullopt);
    }
    // Only what all ranks have is worth the way.
    for (const std::string& save : ranks_->gather(last ? last->save : "")) {
        if (!last || save != last->save) return;
    }
    {
        const std::lock_guard lock(mutex_);
        on_their_way_.insert(last->save);
    }
    last->progress->set_goal(Stage::durable);
    shared_->submit(std::move(*last));
    shared_->finish();
}

}  // namespace plimsoll::checkpoint::detail
