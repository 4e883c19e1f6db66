#include "training/run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "plimsoll/core/error.hpp"
#include "training/checkpoints.hpp"
#include "training/images.hpp"
#include "training/operator_recorder.hpp"
#include "training/phase.hpp"
#include "training/sample_order.hpp"
#include "training/trainer.hpp"

namespace plimsoll::training_workload {

namespace {

Place place_in(MPI_Comm comm) {
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    return {.rank = static_cast<std::size_t>(rank), .ranks = static_cast<std::size_t>(ranks)};
}

double seconds_since(Trace::Time begin) {
    return std::chrono::duration<double>(Trace::Clock::now() - begin).count();
}

/// A training under way.
class Training {
  public:
    Training(const Settings& settings, MPI_Comm comm, Trace& trace)
        : settings_(&settings),
          comm_(comm),
          place_(place_in(comm)),
          trace_(&trace),
          trainer_(settings, comm, trace),
          checkpoints_(settings, trainer_, comm),
          images_(settings.image_size, settings.classes, settings.seed),
          steps_of_epoch_(settings.dataset_size / (settings.batch * place_.ranks)) {
        if (steps_of_epoch_ == 0) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} images do not fill one step of {} ranks with {} images each",
                                    settings.dataset_size, place_.ranks, settings.batch),
                        "give a larger --dataset-size or a smaller --batch");
        }
        result_.parameters = trainer_.parameters();
    }

    RunResult run(const std::function<void(const EpochResult&)>& epoch_ends) {
        result_.restored = checkpoints_.restore();
        // Steps before those that count have made the network that was saved what it is.
        if (!result_.restored) warm_up();
        for (std::size_t epoch = first_epoch(); epoch < settings_->epochs && !result_.has_reached_target;
             ++epoch) {
            result_.epochs.push_back(train_epoch(epoch));
            const EpochResult& done = result_.epochs.back();
            result_.has_reached_target = settings_->target_accuracy && done.validated > 0 &&
                                         done.accuracy >= *settings_->target_accuracy;
            if (place_.rank == 0 && epoch_ends) epoch_ends(done);
        }
        checkpoints_.finish();
        expect_same_parameters();
        if (!settings_->network.empty() && place_.rank == 0) trainer_.save(settings_->network);
        return std::move(result_);
    }

  private:
    /// The order of steps before those that count is that of no epoch. The clock of the first rank tells when
    /// their time is over.
    void warm_up() {
        const auto order = epoch_order(settings_->dataset_size, settings_->seed, settings_->epochs);
        const Trace::Time begin = Trace::Clock::now();
        for (std::size_t step = 0; goes_on_warming_up(step, begin); ++step)
            (void)step_on(share_of(order, step % steps_of_epoch_, settings_->batch, place_));
    }

    [[nodiscard]] bool goes_on_warming_up(std::size_t steps, Trace::Time begin) const {
        if (steps < settings_->warmup) return true;
        if (settings_->warmup_seconds <= 0.0) return false;
        int goes_on = seconds_since(begin) < settings_->warmup_seconds ? 1 : 0;
        MPI_Bcast(&goes_on, 1, MPI_INT, 0, comm_);
        return goes_on != 0;
    }

    [[nodiscard]] std::size_t first_epoch() const { return result_.restored ? result_.restored->epoch : 0; }

    /// Images of an epoch that the network has learnt from before this run.
    [[nodiscard]] std::size_t images_before(std::size_t epoch) const {
        return result_.restored && epoch == result_.restored->epoch ? result_.restored->images : 0;
    }

    double step_on(std::span<const std::uint64_t> numbers) {
        Batch batch;
        {
            const Phase phase(*trace_, "input");
            batch = images_.batch(Set::training, numbers);
        }
        return trainer_.step(batch);
    }

    [[nodiscard]] std::size_t cut(std::size_t steps) const {
        return settings_->steps == 0 ? steps : std::min(steps, settings_->steps);
    }

    EpochResult train_epoch(std::size_t epoch) {
        MPI_Barrier(comm_);
        const Trace::Time begin = Trace::Clock::now();
        const auto order = epoch_order(settings_->dataset_size, settings_->seed, epoch);
        const std::size_t steps = cut(steps_of_epoch_);
        const std::size_t images_of_step = settings_->batch * place_.ranks;
        const std::size_t first = std::min(images_before(epoch) / images_of_step, steps);
        std::vector<double> losses;
        losses.reserve(steps - first);
        if (!settings_->profile.empty()) trace_->start();
        for (std::size_t step = first; step < steps; ++step) {
            const Trace::Time step_begin = Trace::Clock::now();
            losses.push_back(step_on(share_of(order, step, settings_->batch, place_)));
            const Trace::Time step_end = Trace::Clock::now();
            trace_->add_step(Set::training, result_.steps.size(), step_begin, step_end);
            result_.steps.push_back(std::chrono::duration<double>(step_end - step_begin).count());
            checkpoints_.step_done({.epoch = epoch, .images = (step + 1) * images_of_step},
                                   step + 1 == steps);
        }
        EpochResult result{.number = epoch, .steps = losses.size(), .is_whole = first == 0};
        const Trace::Time validation = Trace::Clock::now();
        validate(result);
        trace_->stop();
        result.validation_seconds = seconds_since(validation);
        result.seconds = seconds_since(begin);
        MPI_Allreduce(MPI_IN_PLACE, losses.data(), static_cast<int>(losses.size()), MPI_DOUBLE, MPI_SUM,
                      comm_);
        for (double& loss : losses) loss /= static_cast<double>(place_.ranks);
        result.loss = std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
        result_.losses.insert(result_.losses.end(), losses.begin(), losses.end());
        return result;
    }

    void validate(EpochResult& result) {
        const std::size_t size = settings_->validation_size;
        std::vector<std::uint64_t> order(size);
        std::iota(order.begin(), order.end(), std::uint64_t{0});
        const std::size_t of_all = settings_->batch * place_.ranks;
        const std::size_t steps = cut((size + of_all - 1) / of_all);
        std::size_t right = 0;
        for (std::size_t step = 0; step < steps; ++step) {
            const Trace::Time begin = Trace::Clock::now();
            const auto numbers = share_of(order, step, settings_->batch, place_);
            if (!numbers.empty()) right += trainer_.count_right(images_.batch(Set::validation, numbers));
            const Trace::Time end = Trace::Clock::now();
            trace_->add_step(Set::validation, result_.validation_steps.size(), begin, end);
            result_.validation_steps.push_back(std::chrono::duration<double>(end - begin).count());
        }
        auto right_of_all = static_cast<std::uint64_t>(right);
        MPI_Allreduce(MPI_IN_PLACE, &right_of_all, 1, MPI_UINT64_T, MPI_SUM, comm_);
        result.validated = std::min(size, steps * of_all);
        if (result.validated > 0)
            result.accuracy = static_cast<double>(right_of_all) / static_cast<double>(result.validated);
    }

    void expect_same_parameters() {
        result_.checksum = trainer_.checksum();
        std::uint32_t least = result_.checksum;
        std::uint32_t most = result_.checksum;
        MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT32_T, MPI_MIN, comm_);
        MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT32_T, MPI_MAX, comm_);
        if (least != most)
            throw Error(ErrorKind::internal, "ranks have learnt different parameters",
                        "report this with the command that was run, and the version of MPI");
    }

    const Settings* settings_;
    MPI_Comm comm_;
    Place place_;
    Trace* trace_;
    Trainer trainer_;
    Checkpoints checkpoints_;
    WaveImages images_;
    std::size_t steps_of_epoch_;
    RunResult result_;
};

}  // namespace

RunResult run(const Settings& settings, MPI_Comm comm, Trace& trace,
              const std::function<void(const EpochResult&)>& epoch_ends) {
    std::optional<OperatorRecorder> recorder;
    if (!settings.profile.empty()) recorder.emplace(trace);
    return Training(settings, comm, trace).run(epoch_ends);
}

}  // namespace plimsoll::training_workload
