#include <fmt/format.h>

#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/json_writer.hpp"
#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

std::string size_text(std::uint64_t bytes) { return byte_size_text(static_cast<double>(bytes)); }

std::string verdict_name(CheckpointVerdict verdict) {
    switch (verdict) {
        case CheckpointVerdict::good: return "good";
        case CheckpointVerdict::repairable: return "repairable";
        case CheckpointVerdict::lost: break;
    }
    return "lost";
}

void write_save(JsonWriter& json, const ListedSave& save) {
    json.begin_object().member("save", save.name).member("step", save.step).member("sequence", save.sequence);
    json.member("written", save.written).member("ranks", save.ranks).member("arrays", save.arrays);
    json.member("bytes", save.bytes).key("pin");
    if (save.pin) {
        json.value(*save.pin);
    } else {
        json.null();
    }
    json.key("damage").begin_array();
    for (const checkpoint::Damage& damage : save.damage)
        json.begin_object().member("file", damage.file).member("what", damage.what).end_object();
    json.end_array().end_object();
}

void write_saves(JsonWriter& json, const std::vector<ListedSave>& saves,
                 const std::vector<checkpoint::Catalog::Broken>& broken) {
    json.key("saves").begin_array();
    for (const ListedSave& save : saves) write_save(json, save);
    json.end_array().key("broken").begin_array();
    for (const auto& [name, reason] : broken)
        json.begin_object().member("save", name).member("what", reason).end_object();
    json.end_array();
}

void write_names(JsonWriter& json, std::string_view key, const std::vector<std::string>& names) {
    json.key(key).begin_array();
    for (const std::string& name : names) json.value(name);
    json.end_array();
}

std::string lines_of(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += name + "\n";
    return text;
}

}  // namespace

std::string to_text(const CheckpointList& list, const Style& style) {
    if (list.saves.empty()) return "no saves\n";
    Table table({{"save"},
                 {"step", Align::right},
                 {"written"},
                 {"ranks", Align::right},
                 {"arrays", Align::right},
                 {"size", Align::right},
                 {"state"}});
    for (const ListedSave& save : list.saves) {
        std::string state = save.damage.empty() ? "complete" : "damaged";
        if (save.pin) state += save.pin->empty() ? ", pinned" : fmt::format(", pinned: {}", *save.pin);
        table.add({save.name, fmt::format("{}", save.step), save.written.empty() ? "-" : save.written,
                   fmt::format("{}", save.ranks), fmt::format("{}", save.arrays), size_text(save.bytes),
                   state});
    }
    return table.text(style);
}

std::string to_lines(const CheckpointList& list) {
    std::string text;
    for (const ListedSave& save : list.saves) text += save.name + "\n";
    return text;
}

std::string to_json(const CheckpointList& list) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.checkpoint-ls/1");
    write_saves(json, list.saves, list.broken);
    write_names(json, "unfinished", list.unfinished);
    return json.end_object().take();
}

std::string to_text(const CheckpointContent& content, const Style& style) {
    std::string text =
        fmt::format("{}: step {}, written {} by {}, {}\n\n", style.bold(content.save.name), content.save.step,
                    content.save.written, counted(content.save.ranks, "rank"), size_text(content.save.bytes));
    Table arrays({{"array"}, {"type"}, {"shape"}, {"pieces", Align::right}, {"size", Align::right}});
    for (const CheckpointContent::Array& array : content.arrays) {
        arrays.add({array.name, array.type,
                    array.is_own ? fmt::format("{} on each rank", checkpoint::shape_text(array.shape))
                                 : checkpoint::shape_text(array.shape),
                    fmt::format("{}", array.pieces), size_text(array.bytes)});
    }
    Table files({{"file"}, {"size", Align::right}});
    for (const CheckpointContent::File& file : content.files) files.add({file.name, size_text(file.bytes)});
    return text + arrays.text(style) + "\n" + files.text(style);
}

std::string to_lines(const CheckpointContent& content) {
    std::string text;
    for (const CheckpointContent::Array& array : content.arrays) text += array.name + "\n";
    return text;
}

std::string to_json(const CheckpointContent& content) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.checkpoint-show/1").key("save");
    write_save(json, content.save);
    json.key("arrays").begin_array();
    for (const CheckpointContent::Array& array : content.arrays) {
        json.begin_object().member("name", array.name).member("type", array.type).key("shape").begin_array();
        for (const std::uint64_t extent : array.shape) json.value(extent);
        json.end_array().member("own", array.is_own).member("pieces", array.pieces);
        json.member("bytes", array.bytes).end_object();
    }
    json.end_array().key("files").begin_array();
    for (const CheckpointContent::File& file : content.files)
        json.begin_object().member("file", file.name).member("bytes", file.bytes).end_object();
    return json.end_array().end_object().take();
}

std::string to_text(const CheckpointHealth& health, const Style& style) {
    std::string text;
    for (const ListedSave& save : health.saves) {
        text += fmt::format("{}: {}\n", style.bold(save.name), save.damage.empty() ? "whole" : "damaged");
        for (const checkpoint::Damage& damage : save.damage)
            text += fmt::format("  {}: {}\n", damage.file, damage.what);
    }
    for (const auto& [name, reason] : health.broken)
        text += fmt::format("{}: damaged\n  {}\n", style.bold(name), reason);
    if (health.saves.empty() && health.broken.empty()) return "no saves\n";
    text += fmt::format("{}: ", verdict_name(health.verdict));
    if (!health.restorable) return text + "nothing can be restored\n";
    return text + fmt::format("a restart takes {}{}\n", *health.restorable,
                              health.deep ? "" : "; --deep checks every byte of its arrays as well");
}

std::string to_lines(const CheckpointHealth& health) { return verdict_name(health.verdict) + "\n"; }

std::string to_json(const CheckpointHealth& health) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.checkpoint-verify/1").member("deep", health.deep);
    json.member("verdict", verdict_name(health.verdict)).key("restorable");
    if (health.restorable) {
        json.value(*health.restorable);
    } else {
        json.null();
    }
    write_saves(json, health.saves, health.broken);
    return json.end_object().take();
}

std::string to_text(const CheckpointPruning& pruning) {
    if (pruning.removed.empty()) return "nothing to remove\n";
    return fmt::format("{} {} ({}): {}\n", pruning.dry_run ? "would remove" : "removed",
                       counted(pruning.removed.size(), "save"), size_text(pruning.bytes),
                       join(pruning.removed, ", "));
}

std::string to_lines(const CheckpointPruning& pruning) { return lines_of(pruning.removed); }

std::string to_json(const CheckpointPruning& pruning) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.checkpoint-prune/1").member("dry_run", pruning.dry_run);
    write_names(json, "removed", pruning.removed);
    write_names(json, "kept", pruning.kept);
    return json.member("bytes", pruning.bytes).end_object().take();
}

std::string to_text(const CheckpointPin& pin) {
    return fmt::format("{} is {}\n", pin.save, pin.pin ? "pinned: no pruning removes it" : "not pinned");
}

std::string to_lines(const CheckpointPin& pin) { return pin.save + "\n"; }

std::string to_json(const CheckpointPin& pin) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.checkpoint-pin/1").member("save", pin.save).key("pin");
    if (pin.pin) {
        json.value(*pin.pin);
    } else {
        json.null();
    }
    return json.end_object().take();
}

std::string to_text(const CheckpointExport& written) {
    return fmt::format("wrote {} of {} to {} ({})\n", counted(written.arrays.size(), "array"), written.save,
                       written.output, size_text(written.bytes));
}

std::string to_lines(const CheckpointExport& written) { return lines_of(written.arrays); }

std::string to_json(const CheckpointExport& written) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.checkpoint-export/1").member("save", written.save);
    json.member("output", written.output);
    write_names(json, "arrays", written.arrays);
    return json.member("bytes", written.bytes).end_object().take();
}

std::string to_text(const CheckpointDiff& diff, const Style& style) {
    Table table({{"array"},
                 {fmt::format("{} to {}", diff.before, diff.after)},
                 {"elements", Align::right},
                 {"different", Align::right},
                 {"largest difference", Align::right}});
    for (const CheckpointDiff::Array& array : diff.arrays) {
        table.add({array.name, std::string(enum_name(array.verdict)), fmt::format("{}", array.elements),
                   fmt::format("{}", array.different), array.largest ? short_number(*array.largest) : "-"});
    }
    return table.text(style);
}

std::string to_lines(const CheckpointDiff& diff) {
    std::string text;
    for (const CheckpointDiff::Array& array : diff.arrays) {
        if (array.verdict != CheckpointDiff::Verdict::same)
            text += fmt::format("{}\t{}\n", enum_name(array.verdict), array.name);
    }
    return text;
}

std::string to_json(const CheckpointDiff& diff) {
    JsonWriter json;
    json.begin_object().member("schema", "plimsoll.checkpoint-diff/1").member("before", diff.before);
    json.member("after", diff.after).member("same", !diff.differs()).key("arrays").begin_array();
    for (const CheckpointDiff::Array& array : diff.arrays) {
        json.begin_object().member("name", array.name).member("verdict", enum_name(array.verdict));
        json.member("elements", array.elements)
            .member("different", array.different)
            .key("largest_difference");
        if (array.largest) {
            json.value(*array.largest);
        } else {
            json.null();
        }
        json.end_object();
    }
    return json.end_array().end_object().take();
}

}  // namespace plimsoll::app
