#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/communicator.hpp"
#include "plimsoll/checkpoint/detail/level_writers.hpp"
#include "plimsoll/checkpoint/detail/node_source.hpp"
#include "plimsoll/checkpoint/protected_array.hpp"
#include "plimsoll/checkpoint/session.hpp"

namespace plimsoll::checkpoint::detail {

/// Finds the newest save that all ranks can restore, on whichever level, and fills arrays from it. All ranks
/// call the same.
class Restorer {
  public:
    /// `node`: null where there is no local level.
    Restorer(Storage& storage, Communicator& ranks, const SessionOptions& options, const Node* node,
             const std::vector<ProtectedArray>& items);

    /// As Session::restore; of one step, or of the newest save.
    [[nodiscard]] std::optional<Restored> restore(std::optional<std::uint64_t> step);

  private:
    /// A save, and where it is.
    struct Candidate {
        CommitRecord commit;
        std::string shared;  ///< name of its folder in the shared folder; empty: not there
        std::vector<std::string>
            nodes;  ///< by rank: its name in the local folder that the rank reads for; or empty
    };
    [[nodiscard]] std::vector<Candidate> candidates();
    void add(std::vector<Candidate>& found, const std::string& told, std::optional<std::size_t> rank);
    [[nodiscard]] std::string shared_list() const;
    [[nodiscard]] std::string local_list() const;
    /// Whether all ranks could restore it; else a reason is added.
    [[nodiscard]] bool fill_from_shared(const Candidate& candidate, std::string& why);
    [[nodiscard]] bool fill_from_nodes(const Candidate& candidate, Restored& restored, std::string& why);
    [[nodiscard]] NodeParts parts_on_nodes(const Candidate& candidate, SavedState* shared);
    /// What kept one rank from it, told to all; empty where nothing did. Throws on all ranks where the
    /// program protects other arrays than were saved.
    [[nodiscard]] std::string agreed(const std::string& outcome);
    [[nodiscard]] std::string told_parts(const std::string& name) const;
    [[nodiscard]] bool is_first() const { return node_ != nullptr && node_->first() == rank(); }
    [[nodiscard]] std::uint64_t rank() const { return static_cast<std::uint64_t>(ranks_->rank()); }
    [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(ranks_->size()); }

    Storage* storage_;
    Communicator* ranks_;
    const SessionOptions* options_;
    const Node* node_;
    const std::vector<ProtectedArray>* items_;
    std::vector<std::string> passed_over_;
};

}  // namespace plimsoll::checkpoint::detail
