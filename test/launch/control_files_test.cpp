#include "plimsoll/launch/detail/control_files.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plimsoll::launch::detail {
namespace {

constexpr const char* both_versions =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
constexpr const char* in_both = "9:name=systemd:/\n8:cpu,cpuacct:/slow\n4:memory:/jobs/7\n0::/\n";

TEST(ControlFiles, FindOurGroupInEachHierarchy) {
    EXPECT_EQ(own_control_group(both_versions, in_both, "memory"), "/sys/fs/cgroup/memory/jobs/7");
    EXPECT_EQ(own_control_group(both_versions, in_both, "cpuacct"), "/sys/fs/cgroup/cpu,cpuacct/slow");
    EXPECT_EQ(own_control_group(both_versions, in_both, ""), "/sys/fs/cgroup/unified");
    EXPECT_EQ(own_control_group(both_versions, in_both, "pids"), std::nullopt);
    EXPECT_EQ(own_control_group(both_versions, "4:memory:/a:b\n", "memory"), "/sys/fs/cgroup/memory/a:b");
}

TEST(ControlFiles, FindOurGroupBelowAMountThatShowsAPart) {
    const std::string mounts =
        "30 23 0:26 /system.slice/box\\040one /sys/fs/cgroup ro,nosuid - cgroup2 cgroup2 rw\n";
    EXPECT_EQ(own_control_group(mounts, "0::/system.slice/box one\n", ""), "/sys/fs/cgroup");
    EXPECT_EQ(own_control_group(mounts, "0::/system.slice/box one/in\n", ""), "/sys/fs/cgroup/in");
    EXPECT_EQ(own_control_group(mounts, "0::/system.slice/box ones\n", ""), std::nullopt);
    EXPECT_EQ(own_control_group(mounts, "0::/\n", ""), std::nullopt);
}

TEST(ControlFiles, SaysNothingOfWhatCannotBeRead) {
    EXPECT_EQ(own_control_group("", "", ""), std::nullopt);
    EXPECT_EQ(own_control_group("no mounts - \n - \n1 2 3 / /x rw -\n", "0\n:\n0::/\n", ""), std::nullopt);
}

TEST(ControlFiles, CountKills) {
    EXPECT_EQ(count_of_kills("low 0\nhigh 3\nmax 12\noom 2\noom_kill 2\noom_group_kill 1\n"), 2U);
    EXPECT_EQ(count_of_kills("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"), 1U);
    EXPECT_EQ(count_of_kills("oom_kill_disable 0\nunder_oom 0\n"), 0U);
    EXPECT_EQ(count_of_kills(""), 0U);
}

TEST(ControlFiles, ReadLimits) {
    EXPECT_EQ(first_number("4000000000\n"), 4e9);
    EXPECT_EQ(first_number("max\n"), std::nullopt);
    EXPECT_EQ(first_number("-1\n"), std::nullopt);
    EXPECT_EQ(first_number(""), std::nullopt);
    EXPECT_EQ(quotient("150000 100000\n"), 1.5);
    EXPECT_EQ(quotient("150000\n 100000\n"), 1.5);
    EXPECT_EQ(quotient("max 100000\n"), std::nullopt);
    EXPECT_EQ(quotient("-1\n 100000\n"), std::nullopt);
    EXPECT_EQ(quotient("5"), std::nullopt);
    EXPECT_EQ(quotient("5 0"), std::nullopt);
}

}  // namespace
}  // namespace plimsoll::launch::detail
