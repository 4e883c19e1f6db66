#include "app/options_record.hpp"

#include "plimsoll/core/text.hpp"

namespace plimsoll::app {

namespace {

std::string text_of(const std::string& value) { return value; }
std::string text_of(const std::vector<std::string>& values) { return join(values, ","); }
std::string text_of(Switch value) { return value.on ? "yes" : ""; }
std::string text_of(bool value) { return value ? "yes" : "no"; }
std::string text_of(double value) { return shortest(value); }
template <NamedEnum Enum>
std::string text_of(Enum value) {
    return std::string(enum_name(value));
}

template <class Options>
void record(const Options& options, OptionsRecord& entries) {
    Options copy = options;  // `describe` hands out references that can be written to
    describe(copy, [&](std::string_view name, const auto& value, const auto&... /*help, limits*/) {
        std::string text = text_of(value);
        if (!text.empty()) entries.emplace_back(name, std::move(text));
    });
}

}  // namespace

OptionsRecord record_options(const model::FitOptions& fit, const experiment::TransformOptions& transform) {
    OptionsRecord entries;
    record(fit, entries);
    if (fit.search != model::Search::extra_p) {
        std::erase_if(entries, [](const auto& entry) { return model::is_extra_p_option(entry.first); });
    }
    if (fit.search != model::Search::posterior) {
        std::erase_if(entries, [](const auto& entry) { return entry.first == "positive"; });
    }
    record(transform, entries);
    return entries;
}

}  // namespace plimsoll::app
