#pragma once

#include <string>
#include <vector>

#include "plimsoll/core/error.hpp"

namespace plimsoll::app {

/// One option in a file of options.
struct TomlOption {
    std::string name;
    std::vector<std::string> words;  ///< values as on the command line, one for each time it stands there
    Place place;
};

/// Options from a TOML file, in its order. A key is an option without its dashes. A list gives it several
/// times; a table gives it `NAME=VALUE` for each key, in which a list becomes `NAME=1,2,4`. Throws an input
/// error with its line.
[[nodiscard]] std::vector<TomlOption> read_toml(const std::string& path);

/// One of several tables of a name, `[[name]]`.
struct TomlTable {
    Place place;
    std::vector<TomlOption> options;  ///< its keys, in their order
};

/// The tables `[[name]]` of a TOML file that holds nothing else. Throws an input error with its line.
[[nodiscard]] std::vector<TomlTable> read_toml_tables(const std::string& path, const std::string& name);

/// A TOML file as JSON text. Throws an input error with its line.
[[nodiscard]] std::string toml_as_json(const std::string& path);

}  // namespace plimsoll::app
