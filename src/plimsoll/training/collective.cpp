#include "plimsoll/training/collective.hpp"

#include <algorithm>

#include "plimsoll/core/text.hpp"

namespace plimsoll::training {

namespace {

/// In small letters, without what stands between words.
std::string plain(std::string_view name) {
    std::string text = lower_case(name.substr(0, name.find('(')));
    std::erase_if(text, [](char c) { return c == '_' || c == '-' || c == ' '; });
    return text;
}

}  // namespace

std::optional<double> bus_factor(std::string_view name, double ranks) {
    const std::string kind = plain(name);
    const auto is = [&](std::string_view word) { return kind.find(word) != std::string::npos; };
    const double others = std::max(0.0, ranks - 1.0);
    if (is("allreduce")) return 2.0 * others / ranks;
    if (is("reducescatter")) return others / ranks;
    if (is("allgather")) return others;
    if (is("alltoall")) return others / ranks;
    if (is("broadcast") || is("bcast") || is("reduce") || is("send") || is("recv")) return 1.0;
    return std::nullopt;
}

double ranks_of(std::string_view name, double processes) {
    const std::size_t open = name.rfind('(');
    if (open == std::string_view::npos) return processes;
    const std::string_view inner = name.substr(open + 1);
    const auto number = parse_number(inner.substr(0, inner.find(' ')));
    return number && inner.ends_with("ranks)") ? *number : processes;
}

}  // namespace plimsoll::training
