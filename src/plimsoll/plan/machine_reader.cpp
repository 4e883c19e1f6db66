#include "plimsoll/plan/machine_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/duration.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/units.hpp"

namespace plimsoll::plan {

namespace {

/// What one key of a description sets.
struct Key {
    std::string_view name;
    void (*set)(Machine&, const MachineEntry&);
};

[[noreturn]] void refuse(const MachineEntry& entry, std::string_view what, std::string hint) {
    throw Error(ErrorKind::input, entry.place, fmt::format("'{}' is {}: '{}'", entry.key, what, entry.text),
                std::move(hint));
}

double number_of(const MachineEntry& entry) {
    const auto number = parse_number(entry.text);
    if (!number || !std::isfinite(*number) || *number <= 0.0)
        refuse(entry, "not a number above 0", fmt::format("write {} = 2", entry.key));
    return *number;
}

double count_of(const MachineEntry& entry) {
    const double number = number_of(entry);
    if (number != std::floor(number))
        refuse(entry, "not a whole number", fmt::format("write {} = 64", entry.key));
    return number;
}

Seconds time_of(const MachineEntry& entry) {
    const auto time = parse_duration(entry.text);
    if (!time) refuse(entry, "no time", fmt::format("write {} = \"1h\", with s, min, h or d", entry.key));
    return *time;
}

double bytes_of(const MachineEntry& entry) {
    const auto bytes = parse_byte_size(entry.text);
    if (!bytes || *bytes <= 0)
        refuse(entry, "no size", fmt::format("write {} = \"80GB\", with B, kB, MB, GB or GiB", entry.key));
    return static_cast<double>(*bytes);
}

double watts_of(const MachineEntry& entry) {
    std::size_t end = entry.text.find_first_not_of("0123456789.eE+-");
    if (end == std::string::npos) end = entry.text.size();
    const auto number = parse_number(trim(std::string_view(entry.text).substr(0, end)));
    const auto factor = experiment::unit_factor(trim(std::string_view(entry.text).substr(end)), "W");
    if (!number || !factor || !std::isfinite(*number) || *number <= 0.0)
        refuse(entry, "no power", fmt::format("write {} = \"750W\"", entry.key));
    return *number * *factor;
}

/// Calls a parser of texts from the command line; its complaint then has the place in the file.
template <class Parse>
auto with_place(const MachineEntry& entry, Parse parse) {
    try {
        return parse(entry.key, entry.text);
    } catch (const Error& error) {
        throw Error(ErrorKind::input, entry.place, error.what(), error.hint());
    }
}

void set_charged(Machine& machine, const MachineEntry& entry) {
    for (const auto& name : enum_names(Charged::nodes)) {
        if (name.name != entry.text) continue;
        machine.charged = name.value;
        return;
    }
    refuse(entry, "neither nodes nor used", "write charged = \"nodes\" where whole nodes are charged");
}

constexpr std::array keys{
    Key{"name", [](Machine& m, const MachineEntry& e) { m.name = e.text; }},
    Key{"nodes", [](Machine& m, const MachineEntry& e) { m.nodes = count_of(e); }},
    Key{"processes-per-node", [](Machine& m, const MachineEntry& e) { m.processes_per_node = count_of(e); }},
    Key{"cores-per-node", [](Machine& m, const MachineEntry& e) { m.cores_per_node = count_of(e); }},
    Key{"gpus-per-node", [](Machine& m, const MachineEntry& e) { m.devices_per_node = count_of(e); }},
    Key{"price", [](Machine& m, const MachineEntry& e) { m.price = with_place(e, parse_price); }},
    Key{"energy-price",
        [](Machine& m, const MachineEntry& e) { m.energy_price = with_place(e, parse_price); }},
    Key{"charged", set_charged},
    Key{"granularity", [](Machine& m, const MachineEntry& e) { m.granularity = time_of(e); }},
    Key{"minimum-time", [](Machine& m, const MachineEntry& e) { m.minimum_time = time_of(e); }},
    Key{"minimum-charge",
        [](Machine& m, const MachineEntry& e) { m.minimum_charge = with_place(e, parse_amount).value; }},
    Key{"memory-per-node", [](Machine& m, const MachineEntry& e) { m.memory_per_node = bytes_of(e); }},
    Key{"memory-per-gpu", [](Machine& m, const MachineEntry& e) { m.memory_per_device = bytes_of(e); }},
    Key{"power-per-node", [](Machine& m, const MachineEntry& e) { m.power_per_node = watts_of(e); }},
    Key{"longest-job", [](Machine& m, const MachineEntry& e) { m.longest_job = time_of(e); }},
    Key{"speed", [](Machine& m, const MachineEntry& e) { m.speed = number_of(e); }}};

/// What belongs to one machine's description and cannot be told from one key alone.
class Reader {
  public:
    explicit Reader(const MachineDescription& description) : description_(&description) {}

    Machine read() {
        Machine machine;
        for (const MachineEntry& entry : description_->entries) set(machine, entry);
        if (machine.name.empty()) refuse_whole("a machine has no name", "write name = \"cpu\"");
        if (!has("processes-per-node")) {
            // One process for each device, else for each core.
            const double usual = has("gpus-per-node") ? machine.devices_per_node : machine.cores_per_node;
            if (usual == 0.0) {
                refuse_whole(fmt::format("'{}' does not say how many processes a node has", machine.name),
                             "write processes-per-node = 64, or cores-per-node or gpus-per-node");
            }
            machine.processes_per_node = usual;
        }
        check_prices(machine);
        if (machine.memory_per_device && machine.devices_per_node == 0.0)
            refuse(*find("memory-per-gpu"), "of a machine without gpus-per-node",
                   "write gpus-per-node as well");
        return machine;
    }

  private:
    [[nodiscard]] const MachineEntry* find(std::string_view key) const {
        const auto& entries = description_->entries;
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const MachineEntry& entry) { return entry.key == key; });
        return found == entries.end() ? nullptr : &*found;
    }
    [[nodiscard]] bool has(std::string_view key) const { return find(key) != nullptr; }

    [[noreturn]] void refuse_whole(std::string message, std::string hint) const {
        throw Error(ErrorKind::input, description_->place, std::move(message), std::move(hint));
    }

    static void set(Machine& machine, const MachineEntry& entry) {
        const auto* const key =
            std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == entry.key; });
        if (key != keys.end()) {
            key->set(machine, entry);
            return;
        }
        std::vector<std::string> names;
        names.reserve(keys.size());
        for (const Key& k : keys) names.emplace_back(k.name);
        const auto near = nearest(entry.key, names);
        throw Error(ErrorKind::input, entry.place, fmt::format("a machine has no '{}'", entry.key),
                    near ? fmt::format("did you mean '{}'?", *near)
                         : fmt::format("use one of {}", join(names, ", ")));
    }

    void check_prices(const Machine& machine) const {
        const MachineEntry* const energy_price = find("energy-price");
        if (energy_price != nullptr && machine.energy_price->per != CostKind::energy)
            refuse(*energy_price, "no price of energy", "write it as 0.25EUR/kWh");
        for (const char* const key : {"price", "energy-price"}) {
            const auto& price = std::string_view(key) == "price" ? machine.price : machine.energy_price;
            if (!price || machine.charges(price->per)) continue;
            const char* const missing = price->per == CostKind::core_hours     ? "cores-per-node"
                                        : price->per == CostKind::device_hours ? "gpus-per-node"
                                                                               : "power-per-node";
            refuse(*find(key), fmt::format("of a machine without {}", missing),
                   fmt::format("write {} as well", missing));
        }
        if (machine.price && machine.energy_price &&
            machine.price->currency != machine.energy_price->currency)
            refuse(*energy_price, fmt::format("not in {}, as 'price' is", machine.price->currency),
                   "give both in one currency");
        const MachineEntry* const charge = find("minimum-charge");
        if (charge == nullptr) return;
        const Amount least = with_place(*charge, parse_amount);
        const bool is_priced = machine.price && machine.price->per != CostKind::energy;
        if (!is_priced) refuse(*charge, "of a machine without a price", "write price as well");
        if (least.kind != CostKind::money || least.currency != machine.price->currency)
            refuse(*charge, fmt::format("not in {}, as 'price' is", machine.price->currency),
                   fmt::format("write minimum-charge = \"1{}\"", machine.price->currency));
    }

    const MachineDescription* description_;
};

std::string currency_of(const Machine& machine) {
    if (machine.price) return machine.price->currency;
    return machine.energy_price ? machine.energy_price->currency : std::string();
}

}  // namespace

std::vector<Machine> read_machines(std::span<const MachineDescription> descriptions) {
    std::vector<Machine> machines;
    for (const MachineDescription& description : descriptions) {
        std::set<std::string_view> seen;
        for (const MachineEntry& entry : description.entries) {
            if (!seen.insert(entry.key).second)
                throw Error(ErrorKind::input, entry.place, fmt::format("'{}' is given twice", entry.key),
                            "leave one of them out");
        }
        Machine machine = Reader(description).read();
        for (const Machine& other : machines) {
            if (other.name == machine.name)
                throw Error(ErrorKind::input, description.place,
                            fmt::format("there are two machines '{}'", machine.name),
                            "give each its own name");
            const std::string first = currency_of(other);
            const std::string second = currency_of(machine);
            if (!first.empty() && !second.empty() && first != second)
                throw Error(ErrorKind::input, description.place,
                            fmt::format("'{}' is paid in {}, and '{}' in {}", machine.name, second,
                                        other.name, first),
                            "give all prices in one currency");
        }
        machines.push_back(std::move(machine));
    }
    return machines;
}

}  // namespace plimsoll::plan
