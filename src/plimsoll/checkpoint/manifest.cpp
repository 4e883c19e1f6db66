#include "plimsoll/checkpoint/manifest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "plimsoll/checkpoint/detail/checksum.hpp"
#include "plimsoll/checkpoint/detail/json_fields.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::checkpoint {

namespace {

using detail::Fields;
using nlohmann::json;

constexpr const char* part_schema = "plimsoll.checkpoint-part/1";
constexpr const char* manifest_schema = "plimsoll.checkpoint-manifest/1";

/// Refuses what a later version wrote in a way that this one cannot understand.
void check_schema(const Fields& fields, const char* schema) {
    if (const std::string found = fields.text("schema"); found != schema)
        fields.fail(fmt::format("is of schema '{}', where '{}' is understood", found, schema));
    if (!fields.texts("requires").empty())
        fields.fail(
            fmt::format("requires '{}', which this version does not know", fields.texts("requires").front()));
}

/// A name of a file in the save's own folder, and nothing that leads out of it.
std::string file_name(const Fields& fields) {
    std::string name = fields.text("file");
    if (name.empty() || name.front() == '.' || name.find('/') != std::string::npos ||
        name.find('\0') != std::string::npos)
        fields.fail(fmt::format("{} is not the name of a file here", json_quote(name)));
    return name;
}

std::uint64_t checksum_of(const Fields& fields, const std::string& text) {
    const auto value = detail::from_hex(text);
    if (!value) fields.fail(fmt::format("{} is not a checksum", json_quote(text)));
    return *value;
}

PackRecord read_pack(const Fields& fields) {
    PackRecord pack{.file = file_name(fields),
                    .bytes = fields.number("bytes"),
                    .chunk_bytes = fields.number("chunk_bytes")};
    for (const std::string& text : fields.texts("checksums"))
        pack.checksums.push_back(checksum_of(fields, text));
    if (pack.chunk_bytes == 0 || pack.bytes == 0 ||
        pack.checksums.size() != (pack.bytes - 1) / pack.chunk_bytes + 1)
        fields.fail(
            fmt::format("{} has {} checksums for {} bytes", pack.file, pack.checksums.size(), pack.bytes));
    return pack;
}

StoredArray read_array(const Fields& fields, const std::vector<PackRecord>& packs) {
    StoredArray array{.name = fields.text("name"),
                      .owner = fields.optional_number("owner"),
                      .block = {.global = fields.numbers("global"),
                                .offset = fields.numbers("offset"),
                                .shape = fields.numbers("shape")},
                      .pack = fields.number("pack"),
                      .at = fields.number("at"),
                      .bytes = fields.number("bytes")};
    const auto type = element_type(fields.text("type"));
    if (!type) fields.fail(fmt::format("has elements of type '{}'", fields.text("type")));
    array.type = *type;
    if (!is_inside(array.block))
        fields.fail(fmt::format("{} reaches out of its array", json_quote(array.name)));
    if (array.pack >= packs.size()) fields.fail(fmt::format("{} lies in no pack", json_quote(array.name)));
    const std::uint64_t room = packs[array.pack].bytes;
    const std::uint64_t count = element_count(array.block.shape);
    if (array.at > room || array.bytes > room - array.at || array.bytes % size_of(*type) != 0 ||
        array.bytes / size_of(*type) != count)
        fields.fail(fmt::format("{} does not fit its place", json_quote(array.name)));
    return array;
}

}  // namespace

std::string to_json(const Part& part) {
    // Written as text: a model of ten thousand arrays would take longer to build up as a document than its
    // bytes take to the disk.
    std::string text;
    const auto add = std::back_inserter(text);
    const char* between = "";
    text += R"({"arrays":[)";
    for (const StoredArray& array : part.arrays) {
        fmt::format_to(add, R"({}{{"at":{},"bytes":{},"global":[{}],"name":{},"offset":[{}],)", between,
                       array.at, array.bytes, fmt::join(array.block.global, ","), json_quote(array.name),
                       fmt::join(array.block.offset, ","));
        if (array.owner) fmt::format_to(add, R"("owner":{},)", *array.owner);
        fmt::format_to(add, R"("pack":{},"shape":[{}],"type":"{}"}})", array.pack,
                       fmt::join(array.block.shape, ","), enum_name(array.type));
        between = ",";
    }
    text += R"(],"packs":[)";
    between = "";
    for (const PackRecord& pack : part.packs) {
        fmt::format_to(add, R"({}{{"bytes":{},"checksums":[)", between, pack.bytes);
        for (std::size_t i = 0; i < pack.checksums.size(); ++i)
            fmt::format_to(add, R"({}"{:016x}")", i > 0 ? "," : "", pack.checksums[i]);
        fmt::format_to(add, R"(],"chunk_bytes":{},"file":{}}})", pack.chunk_bytes, json_quote(pack.file));
        between = ",";
    }
    fmt::format_to(add, R"(],"rank":{},"ranks":{},"requires":[],"save":{},"schema":"{}","step":{}}})",
                   part.rank, part.ranks, json_quote(part.save), part_schema, part.step);
    text += '\n';
    return text;
}

Part read_part(const std::string& text, const std::string& file) {
    const Fields fields(text, file);
    check_schema(fields, part_schema);
    Part part{.save = fields.text("save"),
              .step = fields.number("step"),
              .rank = fields.number("rank"),
              .ranks = fields.number("ranks")};
    for (const Fields& pack : fields.objects("packs")) part.packs.push_back(read_pack(pack));
    for (const Fields& array : fields.objects("arrays")) part.arrays.push_back(read_array(array, part.packs));
    if (part.rank >= part.ranks) fields.fail(fmt::format("is of rank {} of {}", part.rank, part.ranks));
    return part;
}

std::string to_json(const Manifest& manifest) {
    json parts = json::array();
    for (const Manifest::PartRecord& part : manifest.parts)
        parts.push_back(
            {{"file", part.file}, {"bytes", part.bytes}, {"checksum", detail::hex(part.checksum)}});
    return json{{"schema", manifest_schema},
                {"requires", json::array()},
                {"save", manifest.save},
                {"step", manifest.step},
                {"sequence", manifest.sequence},
                {"written", manifest.written},
                {"parts", parts}}
               .dump(1) +
           "\n";
}

Manifest read_manifest(const std::string& text, const std::string& file) {
    const Fields fields(text, file);
    check_schema(fields, manifest_schema);
    Manifest manifest{.save = fields.text("save"),
                      .step = fields.number("step"),
                      .sequence = fields.number("sequence"),
                      .written = fields.text("written")};
    for (const Fields& part : fields.objects("parts"))
        manifest.parts.push_back({.file = file_name(part),
                                  .bytes = part.number("bytes"),
                                  .checksum = checksum_of(part, part.text("checksum"))});
    return manifest;
}

std::string to_text(const CommitRecord& record) {
    std::string text = fmt::format(
        "plimsoll checkpoint commit 1\nsave {}\nstep {}\nsequence {}\nmanifest {} {}\n", record.save,
        record.step, record.sequence, record.manifest_bytes, detail::hex(record.manifest_checksum));
    constexpr std::size_t check_bytes = 6 + 16 + 1;  // "check " and the checksum of all before it
    PLIMSOLL_EXPECT(text.size() + check_bytes <= commit_bytes);
    text.resize(commit_bytes - check_bytes - 1, ' ');
    text += '\n';
    return text + fmt::format("check {}\n", detail::hex(detail::checksum(text)));
}

std::optional<CommitRecord> read_commit(const std::string& text) {
    constexpr std::size_t longest_identity = 200;
    if (text.size() != commit_bytes) return std::nullopt;
    CommitRecord record;
    const std::vector<std::string_view> lines = split(text, '\n');
    if (lines.size() < 5) return std::nullopt;
    const auto word = [&](std::size_t line, std::string_view key, std::size_t place) -> std::string_view {
        const std::vector<std::string_view> words = split(lines[line], ' ');
        return place + 1 < words.size() && words.front() == key ? words[place + 1] : std::string_view();
    };
    const auto number = [&](std::size_t line, std::string_view key, std::uint64_t& value) {
        const std::string_view digits = word(line, key, 0);
        value = 0;
        if (digits.empty()) return false;
        for (const char c : digits) {
            if (c < '0' || c > '9' || __builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
                __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value))
                return false;
        }
        return true;
    };
    record.save = word(1, "save", 0);
    const auto checksum = detail::from_hex(word(4, "manifest", 1));
    if (lines[0] != "plimsoll checkpoint commit 1" || record.save.empty() ||
        record.save.size() > longest_identity || !number(2, "step", record.step) ||
        !number(3, "sequence", record.sequence) || !number(4, "manifest", record.manifest_bytes) || !checksum)
        return std::nullopt;
    record.manifest_checksum = *checksum;
    // Any byte that differs, also among the blanks, makes it none.
    if (to_text(record) != text) return std::nullopt;
    return record;
}

}  // namespace plimsoll::checkpoint
