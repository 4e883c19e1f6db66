#include "training/settings.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cctype>
#include <charconv>
#include <system_error>

#include "plimsoll/core/error.hpp"

namespace plimsoll::training_workload {

namespace {

constexpr std::size_t most = 1'000'000'000;
constexpr double longest_s = 86400.0;

/// What is wrong with a text as a whole number within limits, else nothing; CLI11 alone takes -1 for 2^64
/// - 1.
template <class Number>
CLI::Validator whole(Number low, Number high) {
    return {[low, high](const std::string& text) -> std::string {
                Number value = 0;
                const char* const end = text.data() + text.size();
                const auto [rest, problem] = std::from_chars(text.data(), end, value);
                if (problem == std::errc{} && rest == end && value >= low && value <= high) return "";
                return fmt::format("'{}' is no whole number from {} to {}", text, low, high);
            },
            ""};
}

/// What is wrong with a text as a depth, else nothing.
std::string depth_of_blocks(const std::string& text) {
    constexpr std::size_t least = 8;
    constexpr std::size_t deepest = 6002;
    std::size_t depth = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, depth);
    const bool is_depth = problem == std::errc{} && rest == end && depth >= least && depth <= deepest;
    if (is_depth && depth % layers_of_block_row == other_layers) return "";
    return fmt::format("'{}' is none of {}, {}, {}, ... {}", text, least, least + layers_of_block_row,
                       least + 2 * layers_of_block_row, deepest);
}

/// A share in per cent, from 0 to 100, with or without its sign.
std::optional<double> share_of(std::string text) {
    if (!text.empty() && text.back() == '%') text.pop_back();
    while (!text.empty() && text.back() == ' ') text.pop_back();
    double percent = -1.0;
    const char* const end = text.data() + text.size();
    const auto [rest, problem] = std::from_chars(text.data(), end, percent);
    if (problem != std::errc{} || rest != end || !(percent >= 0.0 && percent <= 100.0)) return std::nullopt;
    return percent / 100.0;
}

/// CLI11's texts begin with a capital letter, ours do not.
std::string message_of(const CLI::ParseError& error) {
    std::string text = error.what();
    text = text.substr(0, text.find('\n'));
    text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
    return text;
}

void declare(CLI::App& app, Settings& s, std::string& accuracy) {
    const auto number = [&app](const char* name, std::size_t& value, std::size_t low, std::size_t high,
                               const char* help) {
        app.add_option(name, value, help)->check(whole(low, high))->type_name("NUMBER");
    };
    app.add_option("--depth", s.depth,
                   "Layers with weights: 6 n + 2 for n residual blocks in each of three stages")
        ->check(depth_of_blocks)
        ->type_name("NUMBER");
    number("--width", s.width, 1, 4096, "Channels of the first stage");
    number("--image-size", s.image_size, 8, 4096, "Pixels along one side of an image");
    number("--classes", s.classes, 2, 1000, "Classes of images");
    number("--dataset-size", s.dataset_size, 1, most, "Images of an epoch");
    number("--validation-size", s.validation_size, 0, most, "Images that are classified after an epoch");
    number("--batch", s.batch, 1, most, "Images of one rank in a step");
    number("--epochs", s.epochs, 1, most, "Times that the training goes through all images");
    number("--steps", s.steps, 0, most, "Steps that an epoch is cut to, and its validation; 0: all");
    number("--warmup", s.warmup, 0, most, "Steps before those that count");
    app.add_option("--warmup-time", s.warmup_seconds, "Time that steps before those that count take at least")
        ->check(CLI::Range(0.0, longest_s))
        ->type_name("SECONDS");
    app.add_option("--learning-rate", s.learning_rate, "Of gradient descent")
        ->check(CLI::PositiveNumber)
        ->type_name("NUMBER");
    app.add_option("--momentum", s.momentum, "Of gradient descent")
        ->check(CLI::Range(0.0, 1.0))
        ->type_name("NUMBER");
    app.add_option("--stop-at-accuracy", accuracy,
                   "End once validation reaches it; exit code 1 if it never does")
        ->type_name("PERCENT");
    app.add_option("--seed", s.seed, "Of images, their order and the network's first weights")
        ->check(whole<std::uint64_t>(0, UINT64_MAX))
        ->type_name("NUMBER");
    number("--threads", s.threads, 1, 1024, "Threads of each rank");
    number("--bucket-size", s.bucket_bytes, 4, most, "Bytes of gradients that ranks sum at once");
    app.add_option("--runs", s.runs, "File of further options: each line is a training, one after the other")
        ->type_name("FILE");
    app.add_option("--profile", s.profile, "Folder for the profile of the steps, rank<n>.json (Kineto)")
        ->type_name("FOLDER");
    app.add_option("--save", s.network, "File for the trained network, as libtorch loads it")
        ->type_name("FILE");
    app.add_option("--checkpoints", s.checkpoints, "Folder to save to, and to go on from")
        ->type_name("FOLDER");
    number("--checkpoint-every", s.checkpoint_every, 0, most,
           "Steps between two saves; 0: at the end of an epoch");
    app.add_option("-o,--output", s.output, "File for the measurements, - for stdout")->type_name("FILE");
}

}  // namespace

Request parse_command_line(int argc, const char* const* argv, Repeated repeated) {
    Request request;
    Settings& settings = request.settings;
    CLI::App app(
        "Trains a residual network on generated images, on as many ranks as mpiexec starts; prints JSON "
        "lines "
        "(plimsoll.experiment/1).",
        "training");
    app.option_defaults()->always_capture_default();
    if (repeated == Repeated::last_counts)
        app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    std::string accuracy;
    declare(app, settings, accuracy);
    app.footer(
        "Example:\n"
        "  mpiexec -n 2 training --batch 32 --warmup 2 --steps 5 --profile traces/net.p2.b32.r1 -o "
        "steps.jsonl");
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        request.help = app.help();
        return request;
    } catch (const CLI::ParseError& error) {
        throw Error(ErrorKind::usage, message_of(error), "see 'training --help'");
    }
    if (!accuracy.empty()) {
        settings.target_accuracy = share_of(accuracy);
        if (!settings.target_accuracy)
            throw Error(ErrorKind::usage, fmt::format("--stop-at-accuracy is '{}'", accuracy),
                        "give it from 0% to 100%");
        if (settings.validation_size == 0)
            throw Error(ErrorKind::usage, "--stop-at-accuracy needs images for validation",
                        "give --validation-size a number above 0");
    }
    return request;
}

}  // namespace plimsoll::training_workload
