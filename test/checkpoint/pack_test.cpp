#include "plimsoll/checkpoint/pack.hpp"

#include <gtest/gtest.h>

#include "plimsoll/checkpoint/detail/save_job.hpp"
#include "plimsoll/core/error.hpp"
#include "test/support/temporary_folder.hpp"

namespace plimsoll::checkpoint {
namespace {

std::vector<Tensor> some_tensors() {
    return {{.name = "a", .type = ElementType::float64, .shape = {3, 5}},
            {.name = "step", .type = ElementType::uint64, .shape = {}},
            {.name = "nothing", .type = ElementType::float32, .shape = {0, 7}},
            {.name = "\"quoted\" ü", .type = ElementType::boolean, .shape = {4097}}};
}

PackHeader header_of(const std::string& path) {
    const auto storage = pwrite_storage();
    return read_pack_header(*storage->open(path), path);
}

TEST(Pack, HeaderTellsWhatWasPlanned) {
    const test::TemporaryFolder folder;
    const PackPlan plan = plan_pack(some_tensors(), {{"step", "42"}});
    std::string file = plan.header;
    file.resize(plan.bytes, '\0');
    const PackHeader header = header_of(folder.write("p", file));
    EXPECT_EQ(header.metadata.at("step"), "42");
    std::vector<Tensor> told;
    for (const Tensor& tensor : header.tensors) {
        if (!is_padding(tensor.name)) told.push_back(tensor);
    }
    ASSERT_EQ(told.size(), plan.tensors.size());
    for (std::size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(told[i].name, plan.tensors[i].name);
        EXPECT_EQ(told[i].at, plan.tensors[i].at);
        EXPECT_EQ(told[i].shape, plan.tensors[i].shape);
        EXPECT_EQ(told[i].at % 64, 0U);
    }
    EXPECT_EQ(plan.header.size() % 4096, 0U);
    EXPECT_EQ(plan.bytes % 4096, 0U);
}

TEST(Pack, HeaderThatCannotBeIsRefused) {
    const test::TemporaryFolder folder;
    const PackPlan plan = plan_pack({{.name = "a", .type = ElementType::float64, .shape = {512}}}, {});
    std::string good = plan.header;
    good.resize(plan.bytes, '\0');
    EXPECT_EQ(header_of(folder.write("good", good)).tensors.size(), 1U);
    const auto complaint = [&](const std::string& file) -> std::string {
        try {
            (void)header_of(folder.write("bad", file));
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::input);
            return std::string(error.what()).substr((folder / "bad").size() + 2);
        }
        return "none";
    };
    const auto with = [&](const std::string& from, const std::string& to) {
        std::string file = good;
        return file.replace(file.find(from), from.size(), to);
    };
    EXPECT_EQ(complaint(""), "is too short for a safetensors file");
    EXPECT_EQ(complaint(std::string(9, '\xff')), "says that its header has 18446744073709551615 bytes");
    EXPECT_EQ(complaint(with("[0,4096]", "[0,4088]")), "array \"a\" has 4088 bytes for a shape of [512]");
    EXPECT_EQ(complaint(with("[0,4096]", "[1,4097]")), "array \"a\" does not lie within the file");
    EXPECT_EQ(complaint(with("[512]", "[511]").replace(good.find("[0,4096]"), 8, "[8,4096]")),
              "array \"a\" does not begin where the one before it ends");
    EXPECT_EQ(complaint(good + "x"), "has 8193 bytes, of which its header accounts for 8192");
    EXPECT_EQ(complaint(with("F64", "F65")), "array \"a\" has elements of type F65");
    EXPECT_EQ(complaint(with("{", "[")), "is not a JSON object");
    for (std::size_t length = 0; length < good.size(); length += 61)
        EXPECT_NE(complaint(good.substr(0, length)), "none");
}

TEST(Pack, IsTheSameInSlicesOfAnySize) {
    detail::SaveJob::Pack pack{.plan = plan_pack(some_tensors(), {})};
    std::vector<std::vector<std::byte>> arrays;
    for (const Tensor& tensor : pack.plan.tensors) {
        arrays.emplace_back(tensor.bytes, static_cast<std::byte>(arrays.size() + 1));
        pack.sources.emplace_back(arrays.back());
    }
    std::vector<std::byte> image(pack.plan.bytes, std::byte{0xff});
    copy_pack(pack, 0, image);
    EXPECT_EQ(image[pack.plan.tensors[0].at], std::byte{1});
    EXPECT_EQ(image[pack.plan.tensors[1].at + 8], std::byte{0}) << "gaps are zeros";
    for (const std::uint64_t slice : {7U, 64U, 1000U, 4096U}) {
        std::vector<std::byte> sliced(pack.plan.bytes, std::byte{0xff});
        for (std::uint64_t begin = 0; begin < sliced.size(); begin += slice) {
            copy_pack(
                pack, begin,
                std::span(sliced).subspan(begin, std::min<std::uint64_t>(slice, sliced.size() - begin)));
        }
        EXPECT_EQ(sliced, image) << "slices of " << slice;
    }
}

TEST(Pack, NamesThatTheFormatKeepsForItselfAreRefused) {
    for (const std::string name : {"", "__metadata__", ".pad/0", "a\nb", "\xff"})
        EXPECT_THROW(check_array_name(name), Error);
    EXPECT_NO_THROW(check_array_name("Temperature, °C"));
}

}  // namespace
}  // namespace plimsoll::checkpoint
