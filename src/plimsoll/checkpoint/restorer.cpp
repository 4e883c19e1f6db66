#include "plimsoll/checkpoint/detail/restorer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>

#include "plimsoll/checkpoint/detail/capture.hpp"
#include "plimsoll/checkpoint/detail/save_records.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

/// What a rank's attempt to restore came to, as it is told to the others: "" for well, else whose fault it
/// is.
constexpr char damage_mark = 'D';
constexpr char usage_mark = 'U';

/// What a function comes to, as it is told to the others.
template <class Function>
std::string outcome_of(const Function& function) {
    try {
        function();
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
        return (error.kind() == ErrorKind::usage ? usage_mark : damage_mark) + std::string(error.what()) +
               "\n" + error.hint();
    } catch (const std::bad_alloc&) {
        return damage_mark + std::string("out of memory\n");
    }
    return {};
}

std::string list_of(Storage& storage, const std::string& folder) {
    std::string list;
    try {
        const Catalog catalog = read_catalog(storage, folder);
        for (const SaveEntry& entry : catalog.saves) list += "S" + entry.name + "\n" + to_text(entry.commit);
        for (const Catalog::Broken& broken : catalog.broken)
            list += fmt::format("B{}: {}\n", broken.name, broken.reason);
    } catch (const Error& error) {
        return fmt::format("!{}\n{}", error.what(), error.hint());
    }
    return list;
}

}  // namespace

Restorer::Restorer(Storage& storage, Communicator& ranks, const SessionOptions& options, const Node* node,
                   const std::vector<ProtectedArray>& items)
    : storage_(&storage), ranks_(&ranks), options_(&options), node_(node), items_(&items) {}

std::string Restorer::shared_list() const { return rank() == 0 ? list_of(*storage_, options_->folder) : ""; }

std::string Restorer::local_list() const {
    return is_first() ? list_of(*storage_, options_->local.folder) : "";
}

void Restorer::add(std::vector<Candidate>& found, const std::string& told, std::optional<std::size_t> rank) {
    for (std::size_t at = 0; at < told.size();) {
        const std::size_t end = told.find('\n', at);
        const std::string line = told.substr(at + 1, end - at - 1);
        const bool is_save = told[at] == 'S';
        at = end + 1;
        if (!is_save) {
            passed_over_.push_back(rank && size() > 1 ? fmt::format("rank {}: {}", *rank, line) : line);
            continue;
        }
        const auto commit = read_commit(told.substr(at, commit_bytes));
        PLIMSOLL_EXPECT(commit.has_value());
        at += commit_bytes;
        // Two folders of one level may bear the same record, where one is damaged.
        auto same = std::find_if(found.begin(), found.end(), [&](const Candidate& other) {
            const std::string& place = rank ? other.nodes[*rank] : other.shared;
            return other.commit.save == commit->save && place.empty();
        });
        if (same == found.end())
            same = found.insert(found.end(),
                                {.commit = *commit, .shared = {}, .nodes = std::vector<std::string>(size())});
        if (rank) {
            same->nodes[*rank] = line;
        } else {
            // The manifests of levels differ, and this is the one that is read by its commit record.
            same->commit = *commit;
            same->shared = line;
        }
    }
}

std::vector<Restorer::Candidate> Restorer::candidates() {
    std::vector<Candidate> found;
    // The saves that one rank finds, on all ranks: they may see a folder at different times.
    const std::string shared = ranks_->broadcast(shared_list());
    if (shared.starts_with('!')) {
        const std::size_t line = shared.find('\n');
        throw Error(ErrorKind::environment, shared.substr(1, line - 1), shared.substr(line + 1));
    }
    if (node_ != nullptr) {
        const std::vector<std::string> told = ranks_->gather(local_list());
        for (std::size_t r = 0; r < told.size(); ++r) {
            if (told[r].starts_with('!')) {
                passed_over_.push_back(
                    fmt::format("rank {}: {}", r, told[r].substr(1, told[r].find('\n') - 1)));
            } else {
                add(found, told[r], r);
            }
        }
    }
    add(found, shared, std::nullopt);
    std::stable_sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
        return a.commit.sequence > b.commit.sequence;
    });
    return found;
}

std::optional<Restored> Restorer::restore(std::optional<std::uint64_t> step) {
    const std::vector<Candidate> found = candidates();
    if (found.empty() && passed_over_.empty() && !step) return std::nullopt;
    for (const Candidate& candidate : found) {
        if (step && candidate.commit.step != *step) continue;
        const auto name = std::find_if(candidate.nodes.begin(), candidate.nodes.end(),
                                       [](const std::string& text) { return !text.empty(); });
        const bool is_local = name != candidate.nodes.end();
        Restored restored{.step = candidate.commit.step,
                          .save = candidate.shared.empty() ? *name : candidate.shared};
        std::string why;
        bool is_done = is_local && fill_from_nodes(candidate, restored, why);
        if (!is_done && !candidate.shared.empty()) {
            if (!why.empty()) restored.replaced.push_back(why + "; read from the shared folder");
            is_done = fill_from_shared(candidate, why);
        }
        restored.passed_over = passed_over_;
        if (is_done) return restored;
        passed_over_.push_back(fmt::format("{}: {}", restored.save, why));
    }
    if (step && passed_over_.empty())
        throw Error(ErrorKind::usage,
                    fmt::format("there is no save of step {} in {}", *step, options_->folder),
                    "see which there are: plimsoll checkpoint ls " + options_->folder);
    throw Error(ErrorKind::input, Place{.file = options_->folder},
                fmt::format("none of its saves can be restored: {}",
                            passed_over_.empty() ? "there is none" : join(passed_over_, "; ")),
                "look closer: plimsoll checkpoint verify --deep " + options_->folder);
}

std::string Restorer::agreed(const std::string& outcome) {
    const std::vector<std::string> told = ranks_->gather(outcome);
    std::string damage;
    for (std::size_t r = 0; r < told.size(); ++r) {
        if (told[r].empty()) continue;
        const std::size_t line = told[r].find('\n');
        const std::string where = size() > 1 ? fmt::format("rank {}: ", r) : "";
        const std::string what = where + told[r].substr(1, line - 1);
        if (told[r].front() == usage_mark) throw Error(ErrorKind::usage, what, told[r].substr(line + 1));
        if (damage.empty()) damage = what;
    }
    return damage;
}

bool Restorer::fill_from_shared(const Candidate& candidate, std::string& why) {
    const std::string outcome = outcome_of([&] {
        SavedState state(*storage_, options_->folder, {.name = candidate.shared, .commit = candidate.commit});
        for (const ProtectedArray& item : *items_) fill(item, state, {.rank = rank(), .ranks = size()});
    });
    why = agreed(outcome);
    return why.empty();
}

std::string Restorer::told_parts(const std::string& name) const {
    nlohmann::json parts = nlohmann::json::array();
    if (name.empty()) return parts.dump();
    const std::string folder = options_->local.folder + "/" + name;
    try {
        for (const SaveEntry& entry : read_catalog(*storage_, options_->local.folder).saves) {
            if (entry.name != name) continue;
            for (const Manifest::PartRecord& record :
                 checked_manifest(*storage_, folder, entry.commit).parts) {
                try {
                    parts.push_back(
                        checked_record(*storage_, folder + "/" + record.file, record.bytes, record.checksum));
                } catch (const Error& error) {
                    if (error.kind() == ErrorKind::internal) throw;  // else it is looked for elsewhere
                }
            }
        }
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::internal) throw;
    }
    return parts.dump();
}

NodeParts Restorer::parts_on_nodes(const Candidate& candidate, SavedState* shared) {
    const std::vector<std::string> told = ranks_->gather(told_parts(candidate.nodes[rank()]));
    NodeParts found;
    std::uint64_t known = 0;
    for (std::size_t r = 0; r < told.size(); ++r) {
        for (const nlohmann::json& text : nlohmann::json::parse(told[r])) {
            Part part = read_part(text.get_ref<const std::string&>(),
                                  fmt::format("a part on the node of rank {}", r));
            if (part.save != candidate.commit.save) continue;
            found.parts.resize(part.ranks);
            found.holders.resize(part.ranks);
            if (found.holders.at(part.rank)) continue;
            found.holders[part.rank] = static_cast<int>(r);
            ++known;
            const std::size_t place = part.rank;
            found.parts[place] = std::move(part);
        }
    }
    if (known == found.parts.size() && known > 0) return found;
    if (shared != nullptr) {
        found.holders.resize(shared->ranks());
        found.parts = shared->parts();
        return found;
    }
    std::size_t missing = 0;
    while (missing < found.holders.size() && found.holders[missing]) ++missing;
    throw Error(ErrorKind::input, fmt::format("no node has the share of rank {}", missing),
                "restore from another save");
}

bool Restorer::fill_from_nodes(const Candidate& candidate, Restored& restored, std::string& why) {
    std::unique_ptr<SavedState> shared;
    if (!candidate.shared.empty()) {
        try {
            shared = std::make_unique<SavedState>(
                *storage_, options_->folder, SaveEntry{.name = candidate.shared, .commit = candidate.commit});
        } catch (const Error& error) {
            if (error.kind() == ErrorKind::internal) throw;
        }
    }
    // Whether it is to be had may differ among ranks, and all must go the same way.
    for (const std::string& text : ranks_->gather(shared ? "1" : "0"))
        if (text == "0") shared.reset();
    NodeParts save;
    NodeSource* source = nullptr;
    std::unique_ptr<SavedState> state;
    why = agreed(outcome_of([&] {
        save = parts_on_nodes(candidate, shared.get());
        const std::string& name = candidate.nodes[node_->first()];
        auto made = std::make_unique<NodeSource>(*storage_, save, options_->local.folder + "/" + name,
                                                 static_cast<int>(node_->first()));
        source = made.get();
        Manifest manifest{.save = candidate.commit.save,
                          .step = candidate.commit.step,
                          .sequence = candidate.commit.sequence,
                          .written = {},
                          .parts = {}};
        state = std::make_unique<SavedState>(std::move(manifest), save.parts, std::move(made));
        for (const ProtectedArray& item : *items_) fill(item, *state, {.rank = rank(), .ranks = size()});
    }));
    if (!why.empty()) return false;
    source->fetch(*ranks_);
    why = agreed(outcome_of([&] { source->read_rest(shared.get()); }));
    restored.replaced = source->replaced();
    return why.empty();
}

}  // namespace plimsoll::checkpoint::detail
