#include "training/json_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

namespace plimsoll::training_workload {

namespace {

struct Line {
    std::string_view region;
    std::string_view metric;
    std::string_view unit;
};

class Writer {
  public:
    Writer(const Settings& settings, std::span<const RunResult> ranks) : ranks_(ranks) {
        parameters_ = fmt::format(R"({{"p":{},"batch":{},"depth":{},"width":{},"image":{}}})", ranks.size(),
                                  settings.batch, settings.depth, settings.width, settings.image_size);
    }

    /// A line of `count` repetitions, each of a value a rank, without those that have a value which JSON has
    /// not: the loss of a training that diverged. None where nothing is left.
    void add(const Line& line, std::size_t count,
             const std::function<double(const RunResult&, std::size_t)>& value) {
        std::string values;
        for (std::size_t i = 0; i < count; ++i) {
            const bool is_known = std::all_of(ranks_.begin(), ranks_.end(), [&](const RunResult& rank) {
                return std::isfinite(value(rank, i));
            });
            if (!is_known) continue;
            values += values.empty() ? "[" : ",[";
            for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
                values += fmt::format("{}{}", rank == 0 ? "" : ",", value(ranks_[rank], i));
            values += "]";
        }
        if (values.empty()) return;
        text_ += fmt::format(R"({{"params":{},"region":"{}","metric":"{}","unit":"{}","value":[{}]}})"
                             "\n",
                             parameters_, line.region, line.metric, line.unit, values);
    }

    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::span<const RunResult> ranks_;
    std::string parameters_;
    std::string text_;
};

std::string lines_of(const Settings& settings, std::span<const RunResult> ranks) {
    const RunResult& first = ranks.front();
    Writer writer(settings, ranks);
    writer.add({"step", "time", "s"}, first.steps.size(),
               [](const RunResult& rank, std::size_t i) { return rank.steps[i]; });
    writer.add({"step", "loss", ""}, first.losses.size(),
               [](const RunResult& rank, std::size_t i) { return rank.losses[i]; });
    writer.add({"validation->step", "time", "s"}, first.validation_steps.size(),
               [](const RunResult& rank, std::size_t i) { return rank.validation_steps[i]; });
    const std::size_t epochs = first.epochs.size();
    // An epoch that a restart went on with has its steps, and no time of its own.
    writer.add({"epoch", "time", "s"}, epochs, [](const RunResult& rank, std::size_t i) {
        return rank.epochs[i].is_whole ? rank.epochs[i].seconds : std::nan("");
    });
    const bool has_validation = !first.validation_steps.empty();
    writer.add({"validation", "accuracy", ""}, has_validation ? epochs : 0,
               [](const RunResult& rank, std::size_t i) { return rank.epochs[i].accuracy; });
    return writer.text();
}

/// What is learnt, and whether all ranks have learnt the same.
std::string network_members(std::span<const RunResult> ranks) {
    std::string checksums;
    for (const RunResult& rank : ranks)
        checksums += fmt::format("{}{:08x}", checksums.empty() ? "" : " ", rank.checksum);
    return fmt::format(R"(,"learnt_numbers":{},"network":"{}")", ranks.front().parameters, checksums);
}

}  // namespace

std::string json_lines(const workloads::Machine& machine, std::span<const Measured> trainings) {
    const Settings& settings = trainings.front().settings;
    std::string text = fmt::format(
        R"({{"schema":"plimsoll.experiment/1","parameters":["p","batch","depth","width","image"],)"
        R"("metadata":{{"program":"training",{},"seed":{},"threads":{},"classes":{},"dataset_size":{},)"
        R"("validation_size":{},"warmup":{}{}}}}})"
        "\n",
        workloads::json_members(machine), settings.seed, settings.threads, settings.classes,
        settings.dataset_size, settings.validation_size, settings.warmup,
        trainings.size() == 1 ? network_members(trainings.front().ranks) : std::string());
    for (const Measured& training : trainings) text += lines_of(training.settings, training.ranks);
    return text;
}

}  // namespace plimsoll::training_workload
