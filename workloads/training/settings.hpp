#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace plimsoll::training_workload {

/// Layers with weights: those of a residual block in each of the three stages, and the first and the last
/// one.
constexpr std::size_t layers_of_block_row = 6;
constexpr std::size_t other_layers = 2;

/// What is trained, on what, and for how long.
struct Settings {
    // The network.
    std::size_t depth = 14;  ///< layers with weights: 6 n + 2 for n residual blocks in each of three stages
    std::size_t width = 8;   ///< channels of the first stage

    // The images.
    std::size_t image_size = 32;  ///< pixels along one side
    std::size_t classes = 8;
    std::size_t dataset_size = 4096;
    std::size_t validation_size = 512;

    // The training.
    std::size_t batch = 16;  ///< images of one rank in a step
    std::size_t epochs = 1;
    std::size_t steps = 0;        ///< that an epoch is cut to, and its validation likewise; 0: all
    std::size_t warmup = 0;       ///< steps before those that count
    double warmup_seconds = 0.0;  ///< that steps before those that count take at least
    double learning_rate = 0.05;
    double momentum = 0.9;
    std::optional<double> target_accuracy;  ///< share; the training ends once validation reaches it
    std::uint64_t seed = 0;

    // The machine.
    std::size_t threads = 1;               ///< of each rank
    std::size_t bucket_bytes = 64 * 1024;  ///< of gradients that are summed over the ranks at once

    /// File of further options, a line for each of several trainings; empty: one alone.
    std::string runs;

    // What is written.
    std::string output = "-";
    std::string profile;  ///< folder; empty: none
    std::string network;  ///< file for the trained network; empty: none

    // What survives a crash.
    std::string checkpoints;           ///< folder to save to and to go on from; empty: none
    std::size_t checkpoint_every = 0;  ///< steps between two saves; 0: at the end of each epoch
};

/// A text that was asked for instead of a run, or the settings of one.
struct Request {
    Settings settings;
    std::optional<std::string> help;
};

/// Of options given twice, refused unless the last one counts.
enum class Repeated { refused, last_counts };

/// Throws a usage error that says what to do about it.
[[nodiscard]] Request parse_command_line(int argc, const char* const* argv,
                                         Repeated repeated = Repeated::refused);

}  // namespace plimsoll::training_workload
