#include "plimsoll/checkpoint_c/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint {

Families::Families(SessionOptions options, MakeRanks make_ranks)
    : options_(std::move(options)), make_ranks_(std::move(make_ranks)), ranks_(make_ranks_()) {}

void Families::protect(int id, Region region) {
    const auto same_name = std::find_if(regions_.begin(), regions_.end(), [&](const auto& other) {
        return other.first != id && other.second.name == region.name;
    });
    if (same_name != regions_.end())
        throw Error(ErrorKind::usage,
                    fmt::format("'{}' is the name of number {} already", region.name, same_name->first),
                    "choose another name");
    fence();  // what it replaces may be gone soon
    regions_[id] = std::move(region);
}

void Families::unprotect(int id) {
    fence();
    if (regions_.erase(id) == 0)
        throw Error(ErrorKind::usage, fmt::format("number {} is not protected", id), "protect it first");
}

std::vector<int> Families::all() const {
    std::vector<int> ids;
    for (const auto& [id, region] : regions_) ids.push_back(id);
    return ids;
}

std::string Families::folder_of(const std::string& name) const {
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos)
        throw Error(ErrorKind::usage, fmt::format("no checkpoint can be named '{}'", name),
                    "choose a name that a folder can have");
    return path_in(options_.folder, name);
}

Families::Family& Families::family(const std::string& name) {
    const auto found = families_.find(name);
    if (found != families_.end()) return found->second;
    SessionOptions options = options_;
    options.folder = folder_of(name);
    Family family{.session = std::make_unique<Session>(std::move(options), make_ranks_())};
    return families_.emplace(name, std::move(family)).first->second;
}

void Families::choose(Family& family, const std::vector<int>& ids) {
    for (const std::string& array : family.arrays) family.session->release(array);
    family.arrays.clear();
    for (const int id : ids) {
        const auto found = regions_.find(id);
        if (found == regions_.end())
            throw Error(ErrorKind::usage, fmt::format("number {} is not protected", id), "protect it first");
        const Region& region = found->second;
        family.session->protect_bytes(region.name, region.type, region.bytes, Layout::own(region.shape));
        family.arrays.push_back(region.name);
    }
}

void Families::save(const std::string& name, std::uint64_t version, const std::vector<int>& ids) {
    Family& saved = family(name);
    choose(saved, ids);
    saved.last = saved.session->save(version);
}

bool Families::wait() {
    failure_.clear();
    for (auto& [name, family] : families_) {
        if (!family.last) continue;
        try {
            family.session->finish();
        } catch (const Error& error) {
            failure_ = fmt::format("{} {}: {}", name, family.last->step(), error.what());
        }
    }
    return failure_.empty();
}

bool Families::is_ready() const {
    return std::all_of(families_.begin(), families_.end(), [](const auto& named) {
        const std::optional<Save>& last = named.second.last;
        return !last || last->stage() == Stage::durable || !last->failure().empty();
    });
}

void Families::fence() {
    for (auto& [name, family] : families_) family.session->fence();
}

bool Families::agree(bool mine) {
    const std::vector<std::string> told = ranks_->gather(mine ? "1" : "0");
    return std::all_of(told.begin(), told.end(), [](const std::string& text) { return text == "1"; });
}

std::vector<std::uint64_t> Families::versions(const std::string& name) {
    static_cast<void>(family(name));  // sets right what a program left that was killed
    std::string text;
    if (ranks_->rank() == 0) {
        try {
            for (const SaveEntry& entry : read_catalog(*default_storage(), folder_of(name)).saves)
                text += fmt::format("{} ", entry.commit.step);
        } catch (const Error& error) {
            text = fmt::format("!{}", error.what());
        }
    }
    text = ranks_->broadcast(text);
    if (text.starts_with('!'))
        throw Error(ErrorKind::environment, text.substr(1),
                    "look closer: plimsoll checkpoint ls " + folder_of(name));
    std::vector<std::uint64_t> all;
    for (const std::string_view word : split(text, ' ')) {
        if (const auto version = parse_whole(word)) all.push_back(static_cast<std::uint64_t>(*version));
    }
    return all;
}

std::optional<std::uint64_t> Families::newest(const std::string& name, std::optional<std::uint64_t> below) {
    for (const std::uint64_t version : versions(name)) {
        if (!below || version < *below) return version;
    }
    return std::nullopt;
}

bool Families::has(const std::string& name, std::uint64_t version) {
    const std::vector<std::uint64_t> all = versions(name);
    return std::find(all.begin(), all.end(), version) != all.end();
}

void Families::restore(const std::string& name, std::uint64_t version, const std::vector<int>& ids) {
    Family& restored = family(name);
    choose(restored, ids);
    static_cast<void>(restored.session->restore(version));
}

std::optional<std::uint64_t> Families::restore_newest(const std::string& name) {
    Family& restored = family(name);
    choose(restored, all());
    const auto found = restored.session->restore();
    return found ? std::optional(found->step) : std::nullopt;
}

std::optional<std::uint64_t> Families::saved_bytes(const std::string& name, std::uint64_t version, int id) {
    const std::string folder = folder_of(name);
    const auto storage = default_storage();
    const auto region = regions_.find(id);
    const std::string array = region != regions_.end() ? region->second.name : fmt::format("{}", id);
    for (const SaveEntry& entry : read_catalog(*storage, folder).saves) {
        if (entry.commit.step != version) continue;
        const SavedState state(*storage, folder, entry);
        const auto found = state.find(array, static_cast<std::uint64_t>(ranks_->rank()));
        if (!found) return std::nullopt;
        return element_count(found->shape) * size_of(found->type);
    }
    return std::nullopt;
}

}  // namespace plimsoll::checkpoint
