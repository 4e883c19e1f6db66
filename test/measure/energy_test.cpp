#include "plimsoll/measure/energy.hpp"

#include <gtest/gtest.h>

#include "test/support/temporary_folder.hpp"

namespace plimsoll::measure {
namespace {

void write_zone(const test::TemporaryFolder& folder, const std::string& zone, const std::string& name,
                const std::string& used) {
    folder.write(zone + "/name", name + "\n");
    folder.write(zone + "/energy_uj", used + "\n");
    folder.write(zone + "/max_energy_range_uj", "1000000\n");
}

TEST(EnergyMeter, AddsUpPackagesAlone) {
    const test::TemporaryFolder folder;
    write_zone(folder, "intel-rapl:0", "package-0", "100");
    write_zone(folder, "intel-rapl:1", "package-1", "200");
    write_zone(folder, "intel-rapl:2", "psys", "300");
    write_zone(folder, "intel-rapl:0:0", "core", "50");
    EnergyMeter meter(folder.path().string());
    ASSERT_TRUE(meter.is_available());
    meter.start();
    write_zone(folder, "intel-rapl:0", "package-0", "500100");
    write_zone(folder, "intel-rapl:1", "package-1", "250200");
    write_zone(folder, "intel-rapl:2", "psys", "900000");
    write_zone(folder, "intel-rapl:0:0", "core", "900000");
    meter.sample();
    EXPECT_DOUBLE_EQ(meter.joules(), 0.75);
    meter.start();
    EXPECT_EQ(meter.joules(), 0.0);
}

TEST(EnergyMeter, GoesOnWhereACounterWrapsAround) {
    const test::TemporaryFolder folder;
    write_zone(folder, "intel-rapl:0", "package-0", "900000");
    EnergyMeter meter(folder.path().string());
    meter.start();
    write_zone(folder, "intel-rapl:0", "package-0", "100000");
    meter.sample();
    write_zone(folder, "intel-rapl:0", "package-0", "300000");
    meter.sample();
    EXPECT_DOUBLE_EQ(meter.joules(), 0.4);
}

TEST(EnergyMeter, IsNotThereWithoutCounters) {
    EXPECT_FALSE(EnergyMeter("/no/such/folder").is_available());
    const test::TemporaryFolder folder;
    folder.write("intel-rapl:0/name", "package-0\n");  // without rights, energy_uj cannot be read
    EXPECT_FALSE(EnergyMeter(folder.path().string()).is_available());
}

}  // namespace
}  // namespace plimsoll::measure
