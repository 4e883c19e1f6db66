#include "plimsoll/profile/detail/nsight_steps.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>
#include <set>

namespace plimsoll::profile::detail {

namespace {

using StepKind = Timeline::StepKind;

struct Word {
    std::string_view text;  ///< in small letters
    StepKind kind;
};

/// What people call steps, the surest first.
constexpr std::array words{Word{"profilerstep", StepKind::training},
                           Word{"training_step", StepKind::training},
                           Word{"train_step", StepKind::training},
                           Word{"step", StepKind::training},
                           Word{"iteration", StepKind::training},
                           Word{"iter", StepKind::training},
                           Word{"batch", StepKind::training},
                           Word{"validation_step", StepKind::validation},
                           Word{"testing_step", StepKind::validation},
                           Word{"val_step", StepKind::validation},
                           Word{"test_step", StepKind::validation},
                           Word{"eval_step", StepKind::validation},
                           Word{"epoch", StepKind::epoch}};

bool is_same_word(std::string_view text, std::string_view small) {
    return std::equal(text.begin(), text.end(), small.begin(), small.end(), [](char a, char b) {
        const char letter = a == ' ' || a == '-' ? '_' : a;
        return std::tolower(static_cast<unsigned char>(letter)) == b;
    });
}

/// The number of each step: as its name says where these differ, else by its place.
void number(std::vector<Timeline::Step>& steps, bool are_named) {
    std::sort(steps.begin(), steps.end(),
              [](const Timeline::Step& a, const Timeline::Step& b) { return a.begin < b.begin; });
    std::set<std::int64_t> numbers;
    for (const Timeline::Step& step : steps) are_named = are_named && numbers.insert(step.number).second;
    if (are_named) return;
    std::int64_t next = 0;
    for (Timeline::Step& step : steps) step.number = next++;
}

}  // namespace

std::optional<StepMark> step_mark(std::string_view name, std::string_view category) {
    for (const Word& word : words) {
        if (is_same_word(category, word.text))
            return StepMark{.kind = word.kind, .precedence = -1, .name = name};
    }
    // Letters, then what may stand between, then digits to the end.
    std::size_t digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
    if (digits == name.size()) return std::nullopt;
    constexpr std::string_view separators = " _-:#=";
    const std::size_t last = name.substr(0, digits).find_last_not_of(separators);
    if (last == std::string_view::npos) return std::nullopt;
    const std::string_view text = name.substr(0, last + 1);
    for (const Word& word : words) {
        if (!is_same_word(text, word.text)) continue;
        StepMark mark{.kind = word.kind, .precedence = static_cast<int>(&word - words.data()), .name = text};
        std::int64_t number = 0;
        if (std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc())
            mark.number = number;
        return mark;
    }
    return std::nullopt;
}

LeftOut add_steps(Timeline& timeline, std::vector<MarkedRange>& ranges) {
    LeftOut left_out;
    std::array<int, 3> best{1000, 1000, 1000};  // precedence of each kind
    for (const MarkedRange& range : ranges) {
        int& least = best[static_cast<std::size_t>(range.mark.kind)];
        least = std::min(least, range.mark.precedence);
    }
    std::array<std::vector<Timeline::Step>, 3> steps;
    std::array<bool, 3> are_named{true, true, true};
    for (const MarkedRange& range : ranges) {
        const auto kind = static_cast<std::size_t>(range.mark.kind);
        if (range.mark.precedence != best[kind]) {
            if (range.is_nested) {
                timeline.add(range.event);
            } else {
                ++left_out.unnested;
            }
            continue;
        }
        are_named[kind] = are_named[kind] && range.mark.number.has_value();
        steps[kind].push_back({.number = range.mark.number.value_or(0),
                               .begin = range.event.begin,
                               .end = range.event.end(),
                               .kind = range.mark.kind});
    }
    for (std::size_t kind = 0; kind < steps.size(); ++kind) number(steps[kind], are_named[kind]);
    std::vector<Timeline::Step>& training = steps[static_cast<std::size_t>(StepKind::training)];
    std::vector<Timeline::Step>& validation = steps[static_cast<std::size_t>(StepKind::validation)];
    std::vector<Timeline::Step>& epochs = steps[static_cast<std::size_t>(StepKind::epoch)];
    const auto is_warm_up = [&](const Timeline::Step& step) {
        return epochs.size() > 1 && step.begin < epochs.front().end;
    };
    const auto keep = [&](const std::vector<Timeline::Step>& all) {
        const bool has_others =
            std::any_of(all.begin(), all.end(), [&](const auto& s) { return !is_warm_up(s); });
        double end = -std::numeric_limits<double>::infinity();
        for (const Timeline::Step& step : all) {
            if (step.begin < end) continue;  // the same, marked by another library within
            end = step.end;
            if (has_others && is_warm_up(step)) {
                ++left_out.warm_up;
            } else {
                timeline.add_step(step);
            }
        }
    };
    // Epochs are steps where nothing finer is marked.
    if (training.empty() && validation.empty()) {
        keep(epochs);
    } else {
        keep(training);
        keep(validation);
    }
    return left_out;
}

}  // namespace plimsoll::profile::detail
