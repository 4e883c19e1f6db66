#pragma once

#include <span>
#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"
#include "plimsoll/plan/machine.hpp"

namespace plimsoll::plan {

/// A key of a machine's description with its value as text, and where it stands.
struct MachineEntry {
    std::string key;
    std::string text;
    Place place;
};

/// A machine's description: the keys of one table of docs/formats/machines.md.
struct MachineDescription {
    Place place;
    std::vector<MachineEntry> entries;
};

/// The machines described. Throws an input error with its place where a key is not known or twice there, a
/// value is not what it should be, a price is for what the machine does not tell, prices are in different
/// currencies, or two machines have one name.
[[nodiscard]] std::vector<Machine> read_machines(std::span<const MachineDescription> descriptions);

}  // namespace plimsoll::plan
