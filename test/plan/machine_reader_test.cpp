#include "plimsoll/plan/machine_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace plimsoll::plan {
namespace {

using Entries = std::vector<std::pair<std::string, std::string>>;

/// A table whose keys stand on lines 2, 3 ...
MachineDescription described(const Entries& entries) {
    MachineDescription description{.place = {.file = "m.toml", .line = 1}, .entries = {}};
    std::uint64_t line = 2;
    for (const auto& [key, text] : entries)
        description.entries.push_back(
            {.key = key, .text = text, .place = {.file = "m.toml", .line = line++}});
    return description;
}

std::vector<Machine> read(const std::vector<Entries>& tables) {
    std::vector<MachineDescription> descriptions;
    descriptions.reserve(tables.size());
    for (const Entries& entries : tables) descriptions.push_back(described(entries));
    return read_machines(descriptions);
}

/// "message | hint" of what is wrong with some tables.
std::string complaint(const std::vector<Entries>& tables) {
    try {
        static_cast<void>(read(tables));
    } catch (const Error& error) {
        EXPECT_EQ(ErrorKind::input, error.kind());
        return std::string(error.what()) + " | " + error.hint();
    }
    return "none";
}

TEST(MachineReader, ReadsEachKeyInItsUnit) {
    const Machine machine = read({{{"name", "gpu"},
                                   {"nodes", "12"},
                                   {"processes-per-node", "8"},
                                   {"cores-per-node", "96"},
                                   {"gpus-per-node", "4"},
                                   {"price", "1.80EUR/GPU-h"},
                                   {"energy-price", "0.25EUR/kWh"},
                                   {"charged", "used"},
                                   {"granularity", "1min"},
                                   {"minimum-time", "10min"},
                                   {"minimum-charge", "2EUR"},
                                   {"memory-per-node", "512GiB"},
                                   {"memory-per-gpu", "80GB"},
                                   {"power-per-node", "3.2kW"},
                                   {"longest-job", "24h"},
                                   {"speed", "1.5"}}})
                                .front();
    EXPECT_EQ("gpu", machine.name);
    EXPECT_EQ(12.0, machine.nodes);
    EXPECT_EQ(8.0, machine.processes_per_node);
    EXPECT_EQ(96.0, machine.cores_per_node);
    EXPECT_EQ(4.0, machine.devices_per_node);
    EXPECT_EQ(CostKind::device_hours, machine.price->per);
    EXPECT_EQ(0.25, machine.energy_price->value);
    EXPECT_EQ(Charged::used, machine.charged);
    EXPECT_EQ(60.0, machine.granularity.count());
    EXPECT_EQ(600.0, machine.minimum_time.count());
    EXPECT_EQ(2.0, machine.minimum_charge);
    EXPECT_EQ(512.0 * 1073741824.0, machine.memory_per_node);
    EXPECT_EQ(80e9, machine.memory_per_device);
    EXPECT_EQ(3200.0, machine.power_per_node);
    EXPECT_EQ(86400.0, machine.longest_job->count());
    EXPECT_EQ(1.5, machine.speed);
    EXPECT_EQ(40e9, machine.memory_of_a_process(1.0, MemoryPlace::device)) << "two processes share a GPU";
    EXPECT_EQ(512.0 * 1073741824.0, machine.memory_of_a_process(1.0, MemoryPlace::node))
        << "alone on the node";
}

TEST(MachineReader, PutsOneProcessOnEachGpuElseOnEachCore) {
    EXPECT_EQ(
        4.0,
        read({{{"name", "a"}, {"cores-per-node", "96"}, {"gpus-per-node", "4"}}}).front().processes_per_node);
    const Machine cores = read({{{"name", "a"}, {"cores-per-node", "96"}}}).front();
    EXPECT_EQ(96.0, cores.processes_per_node);
    EXPECT_TRUE(std::isinf(cores.nodes));
}

TEST(MachineReader, SharesTheMemoryOfANodeAmongItsProcesses) {
    const Machine machine =
        read({{{"name", "a"}, {"cores-per-node", "64"}, {"memory-per-node", "128GB"}}}).front();
    EXPECT_EQ(2e9, machine.memory_of_a_process(1000.0, MemoryPlace::device));
    EXPECT_EQ(64e9, machine.memory_of_a_process(2.0, MemoryPlace::device)) << "alone on the node";
    EXPECT_FALSE(read({{{"name", "a"}, {"cores-per-node", "64"}}})
                     .front()
                     .memory_of_a_process(1.0, MemoryPlace::device));
}

TEST(MachineReader, SaysWhatIsWrongAndWhere) {
    const Entries good{{"name", "a"}, {"cores-per-node", "64"}};
    const auto with = [&](const std::string& key, const std::string& text) {
        Entries entries = good;
        entries.emplace_back(key, text);
        return complaint({entries});
    };
    EXPECT_EQ("none", complaint({good}));
    EXPECT_EQ("m.toml:4: a machine has no 'prise' | did you mean 'price'?", with("prise", "1EUR/node-h"));
    EXPECT_EQ("m.toml:4: 'name' is given twice | leave one of them out", with("name", "b"));
    EXPECT_EQ("m.toml:4: 'nodes' is not a whole number: '1.5' | write nodes = 64", with("nodes", "1.5"));
    EXPECT_EQ("m.toml:4: 'nodes' is not a number above 0: '0' | write nodes = 2", with("nodes", "0"));
    EXPECT_EQ("m.toml:4: 'speed' is not a number above 0: 'fast' | write speed = 2", with("speed", "fast"));
    EXPECT_EQ("m.toml:4: 'granularity' is no time: '60' | write granularity = \"1h\", with s, min, h or d",
              with("granularity", "60"));
    EXPECT_EQ(
        "m.toml:4: 'memory-per-node' is no size: '256' | write memory-per-node = \"80GB\", with B, kB, MB, "
        "GB or GiB",
        with("memory-per-node", "256"));
    EXPECT_EQ("m.toml:4: 'power-per-node' is no power: '750' | write power-per-node = \"750W\"",
              with("power-per-node", "750"));
    EXPECT_EQ(
        "m.toml:4: price: '2EUR' is no price | write it as 2.40EUR/node-h, 1.80EUR/GPU-h, 0.03EUR/core-h or "
        "0.25EUR/kWh",
        with("price", "2EUR"));
    EXPECT_EQ(
        "m.toml:4: 'price' is of a machine without gpus-per-node: '2EUR/GPU-h' | write gpus-per-node as well",
        with("price", "2EUR/GPU-h"));
    EXPECT_EQ("m.toml:4: 'energy-price' is no price of energy: '2EUR/node-h' | write it as 0.25EUR/kWh",
              with("energy-price", "2EUR/node-h"));
    EXPECT_EQ(
        "m.toml:4: 'energy-price' is of a machine without power-per-node: '0.2EUR/kWh' | write "
        "power-per-node as well",
        with("energy-price", "0.2EUR/kWh"));
    EXPECT_EQ(
        "m.toml:4: 'charged' is neither nodes nor used: 'all' | write charged = \"nodes\" where whole nodes "
        "are "
        "charged",
        with("charged", "all"));
    EXPECT_EQ("m.toml:4: 'minimum-charge' is of a machine without a price: '1EUR' | write price as well",
              with("minimum-charge", "1EUR"));
    EXPECT_EQ(
        "m.toml:4: 'memory-per-gpu' is of a machine without gpus-per-node: '80GB' | write gpus-per-node as "
        "well",
        with("memory-per-gpu", "80GB"));
    EXPECT_EQ("m.toml:1: a machine has no name | write name = \"cpu\"",
              complaint({{{"cores-per-node", "64"}}}));
    EXPECT_EQ(
        "m.toml:1: 'a' does not say how many processes a node has | write processes-per-node = 64, or "
        "cores-per-node or "
        "gpus-per-node",
        complaint({{{"name", "a"}}}));
    EXPECT_EQ("m.toml:1: there are two machines 'a' | give each its own name", complaint({good, good}));
}

TEST(MachineReader, WantsOneCurrency) {
    const Entries euros{{"name", "a"}, {"cores-per-node", "64"}, {"price", "1EUR/node-h"}};
    EXPECT_EQ("m.toml:1: 'b' is paid in USD, and 'a' in EUR | give all prices in one currency",
              complaint({euros, {{"name", "b"}, {"cores-per-node", "64"}, {"price", "1USD/node-h"}}}));
    Entries mixed = euros;
    mixed.emplace_back("minimum-charge", "1USD");
    EXPECT_EQ(
        "m.toml:5: 'minimum-charge' is not in EUR, as 'price' is: '1USD' | write minimum-charge = \"1EUR\"",
        complaint({mixed}));
    mixed = euros;
    mixed.emplace_back("power-per-node", "500W");
    mixed.emplace_back("energy-price", "0.3USD/kWh");
    EXPECT_EQ(
        "m.toml:6: 'energy-price' is not in EUR, as 'price' is: '0.3USD/kWh' | give both in one currency",
        complaint({mixed}));
}

}  // namespace
}  // namespace plimsoll::plan
