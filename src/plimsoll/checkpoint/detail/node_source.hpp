#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "plimsoll/checkpoint/communicator.hpp"
#include "plimsoll/checkpoint/detail/pack_reader.hpp"
#include "plimsoll/checkpoint/manifest.hpp"
#include "plimsoll/checkpoint/saved_state.hpp"
#include "plimsoll/checkpoint/storage.hpp"

namespace plimsoll::checkpoint::detail {

/// Where the parts of a save lie on the nodes, by the rank that wrote them.
struct NodeParts {
    std::vector<Part> parts;
    std::vector<std::optional<int>> holders;  ///< the rank that reads for the node; empty: no node has it
};

/// The bytes of a save whose parts lie on the nodes that ranks run on. What this rank's node holds is read at
/// once; the rest is written down, and fetched by `fetch`, so that ranks need not read in the same order.
class NodeSource : public ByteSource {
  public:
    /// `folder`: of the save on this rank's node; empty where it has none. `first`: the rank that reads for
    /// the node.
    NodeSource(Storage& storage, const NodeParts& save, std::string folder, int first);

    void read(std::size_t part, std::uint64_t pack, std::uint64_t offset, std::span<std::byte> into) override;

    /// Fetches what is missing from the other nodes, and reads for them. All ranks call it.
    void fetch(Communicator& ranks);
    /// Reads from the shared folder what no node has. Throws where it is damaged there as well, or where
    /// there is no such save.
    void read_rest(SavedState* shared);

    /// Why something did not come from the nodes' folders, one line for each file.
    [[nodiscard]] std::vector<std::string> replaced() const;

  private:
    struct Wanted {
        std::size_t part;
        std::uint64_t pack;
        std::uint64_t offset;
        std::span<std::byte> into;
    };
    void read_here(const Wanted& wanted);
    void note(const Wanted& wanted, const std::string& why);
    [[nodiscard]] bool fetch_some(Communicator& ranks);

    Storage* storage_;
    const NodeParts* save_;
    std::string folder_;
    int first_;
    std::vector<Wanted> elsewhere_;  ///< on other nodes
    std::vector<Wanted> nowhere_;    ///< on no node unharmed
    std::map<std::pair<std::size_t, std::uint64_t>, std::string> replaced_;
    std::map<std::pair<std::size_t, std::uint64_t>, std::unique_ptr<PackReader>> readers_;
};

}  // namespace plimsoll::checkpoint::detail
