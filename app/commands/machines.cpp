#include "app/commands/machines.hpp"

#include <fmt/format.h>

#include "app/toml_file.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/plan/machine_reader.hpp"

namespace plimsoll::app {

std::vector<plan::Machine> machines_of(const std::string& path) {
    std::vector<plan::MachineDescription> descriptions;
    for (const TomlTable& table : read_toml_tables(path, "machine")) {
        plan::MachineDescription description{.place = table.place, .entries = {}};
        for (const TomlOption& option : table.options) {
            description.entries.push_back(
                {.key = option.name, .text = join(option.words, ","), .place = option.place});
        }
        descriptions.push_back(std::move(description));
    }
    if (descriptions.empty()) {
        throw Error(ErrorKind::input, Place{.file = path}, "describes no machine",
                    "begin each machine with a line [[machine]]");
    }
    return plan::read_machines(descriptions);
}

}  // namespace plimsoll::app
