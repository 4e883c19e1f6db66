#include "plimsoll/checkpoint/detail/node_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint::detail {

namespace {

constexpr std::uint64_t largest_message = std::uint64_t{4} << 20;  ///< bytes that are asked for at once
constexpr std::uint64_t most_asked = std::uint64_t{8} << 20;       ///< bytes that a rank asks for in a round
constexpr std::uint64_t most_served = std::uint64_t{64} << 20;     ///< bytes that a rank sends in a round

/// What one rank asks another for.
struct Request {
    int from = 0;  ///< who asks
    int to = 0;    ///< who has it
    std::size_t part = 0;
    std::uint64_t pack = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

std::string to_line(const Request& request) {
    return fmt::format("{} {} {} {} {}\n", request.to, request.part, request.pack, request.offset,
                       request.bytes);
}

/// Requests of all ranks by rank, as far as those asked can serve them in one round: the same on all ranks.
std::vector<Request> requests_of(const std::vector<std::string>& told) {
    std::vector<Request> requests;
    std::map<int, std::uint64_t> load;
    for (std::size_t rank = 0; rank < told.size(); ++rank) {
        for (const std::string_view line : split(told[rank], '\n')) {
            if (line.empty()) continue;
            const std::vector<std::string_view> words = split(line, ' ');
            PLIMSOLL_EXPECT(words.size() == 5);
            const auto number = [&](std::size_t i) {
                return static_cast<std::uint64_t>(parse_whole(std::string(words[i])).value_or(0));
            };
            const Request request{static_cast<int>(rank),
                                  static_cast<int>(number(0)),
                                  number(1),
                                  number(2),
                                  number(3),
                                  number(4)};
            std::uint64_t& bytes = load[request.to];
            if (bytes > 0 && bytes + request.bytes > most_served) continue;
            bytes += request.bytes;
            requests.push_back(request);
        }
    }
    return requests;
}

}  // namespace

NodeSource::NodeSource(Storage& storage, const NodeParts& save, std::string folder, int first)
    : storage_(&storage), save_(&save), folder_(std::move(folder)), first_(first) {}

void NodeSource::note(const Wanted& wanted, const std::string& why) {
    replaced_.emplace(std::pair(wanted.part, wanted.pack), why);
}

void NodeSource::read_here(const Wanted& wanted) {
    constexpr std::size_t most_open = 32;
    const auto key = std::pair(wanted.part, wanted.pack);
    if (!readers_.contains(key)) {
        if (readers_.size() >= most_open) readers_.clear();
        const PackRecord& record = save_->parts[wanted.part].packs[wanted.pack];
        readers_[key] = std::make_unique<PackReader>(*storage_, folder_ + "/" + record.file, record);
    }
    readers_[key]->read(wanted.offset, wanted.into);
}

void NodeSource::read(std::size_t part, std::uint64_t pack, std::uint64_t offset, std::span<std::byte> into) {
    const auto holder = save_->holders[part];
    for (; !into.empty(); into = into.subspan(std::min<std::size_t>(into.size(), largest_message)),
                          offset += largest_message) {
        const Wanted wanted{part, pack, offset,
                            into.first(std::min<std::size_t>(into.size(), largest_message))};
        if (!holder) {
            note(wanted, fmt::format("{}: no node has it", save_->parts[part].packs[pack].file));
            nowhere_.push_back(wanted);
        } else if (*holder != first_) {
            elsewhere_.push_back(wanted);
        } else {
            try {
                read_here(wanted);
            } catch (const Error& error) {
                if (error.kind() == ErrorKind::internal) throw;
                note(wanted, error.what());
                nowhere_.push_back(wanted);
            }
        }
    }
}

bool NodeSource::fetch_some(Communicator& ranks) {
    const int rank = ranks.rank();
    std::string mine;
    std::uint64_t asked = 0;
    for (const Wanted& wanted : elsewhere_) {
        if (asked > 0 && asked + wanted.into.size() > most_asked) break;
        asked += wanted.into.size();
        mine += to_line({rank, *save_->holders[wanted.part], wanted.part, wanted.pack, wanted.offset,
                         wanted.into.size()});
    }
    const std::vector<Request> requests = requests_of(ranks.gather(mine));
    if (requests.empty()) return false;
    // One message from each rank asked to each that asks: for each request a mark, then the bytes or a line
    // with the reason.
    std::map<int, std::vector<std::byte>> answers;
    std::vector<int> from;
    for (const Request& request : requests) {
        if (request.from == rank && std::find(from.begin(), from.end(), request.to) == from.end())
            from.push_back(request.to);
        if (request.to != rank) continue;
        std::vector<std::byte>& answer = answers[request.from];
        const std::size_t at = answer.size();
        answer.resize(at + 1 + request.bytes);
        try {
            read_here({request.part, request.pack, request.offset, std::span(answer).subspan(at + 1)});
        } catch (const Error& error) {
            answer.resize(at);
            const std::string why = fmt::format("!{}\n", error.what());
            const auto bytes = std::as_bytes(std::span(why));
            answer.insert(answer.end(), bytes.begin(), bytes.end());
        }
    }
    std::vector<Outgoing> outgoing;
    outgoing.reserve(answers.size());
    for (const auto& [to, bytes] : answers) outgoing.push_back({to, bytes});
    const std::vector<std::vector<std::byte>> received = ranks.exchange(outgoing, from);
    std::vector<std::size_t> at(from.size());
    std::vector<Wanted> left;
    std::size_t next = 0;
    for (const Request& request : requests) {
        if (request.from != rank) continue;
        const auto sender =
            static_cast<std::size_t>(std::find(from.begin(), from.end(), request.to) - from.begin());
        // Requests that had to wait lie between those that were served.
        while (elsewhere_[next].part != request.part || elsewhere_[next].pack != request.pack ||
               elsewhere_[next].offset != request.offset || elsewhere_[next].into.size() != request.bytes)
            left.push_back(elsewhere_[next++]);
        const Wanted wanted = elsewhere_[next++];
        const std::span<const std::byte> bytes = std::span(received[sender]).subspan(at[sender]);
        if (bytes.front() == std::byte{0}) {
            std::memcpy(wanted.into.data(), bytes.data() + 1, request.bytes);
            at[sender] += 1 + request.bytes;
            continue;
        }
        const auto end = std::find(bytes.begin(), bytes.end(), std::byte{'\n'}) - bytes.begin();
        note(wanted,
             std::string(reinterpret_cast<const char*>(bytes.data()) + 1, static_cast<std::size_t>(end - 1)));
        nowhere_.push_back(wanted);
        at[sender] += static_cast<std::size_t>(end) + 1;
    }
    left.insert(left.end(), elsewhere_.begin() + static_cast<std::ptrdiff_t>(next), elsewhere_.end());
    elsewhere_ = std::move(left);
    return true;
}

void NodeSource::fetch(Communicator& ranks) {
    while (fetch_some(ranks)) {
    }
}

void NodeSource::read_rest(SavedState* shared) {
    for (const Wanted& wanted : nowhere_) {
        if (shared == nullptr)
            throw Error(ErrorKind::input, replaced_.at({wanted.part, wanted.pack}),
                        "restore from another save");
        shared->read_pack(wanted.part, wanted.pack, wanted.offset, wanted.into);
    }
    nowhere_.clear();
}

std::vector<std::string> NodeSource::replaced() const {
    std::vector<std::string> lines;
    for (const auto& [file, why] : replaced_)
        lines.push_back(fmt::format("{}; read from the shared folder", why));
    return lines;
}

}  // namespace plimsoll::checkpoint::detail
