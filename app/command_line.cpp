#include "app/command_line.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <typeinfo>

#include "app/commands/convert.hpp"
#include "app/commands/fit.hpp"
#include "app/commands/predict.hpp"
#include "app/commands/show.hpp"
#include "app/completion.hpp"
#include "app/help.hpp"
#include "app/option_binder.hpp"
#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "app/terminal.hpp"
#include "app/usage.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/model/formula.hpp"
#include "version.hpp"

namespace plimsoll::app {

namespace {

constexpr int most_threads = 4096;

constexpr const char* program_remarks =
    "Results go to standard output, notes and errors to standard error. With --json, standard output is one\n"
    "JSON document or nothing, and an error is a JSON document too.\n"
    "\n"
    "Variables: PLIMSOLL_STATISTIC=median stands for --statistic median, and so for every option of the "
    "groups\n"
    "Measurements and Search, --color and --threads. A flag wins.\n"
    "\n"
    "Exit status: 0 done, 1 done and the answer is no, 2 wrong command, option or input, 3 the machine "
    "refused\n"
    "(disk full, no permission), 70 a bug of ours, 130 interrupted\n";

/// Options that every command has.
struct Shared {
    bool json = false;
    bool quiet = false;
    bool debug = false;
    ColorChoice color = ColorChoice::automatic;
    int threads = 0;
};

/// Everything that one command line fills in.
struct Request {
    Shared shared;
    FitRequest fit;
    std::string fit_output;
    std::optional<model::FormulaStyle> formulas;
    PredictRequest predict;
    Inputs show;
    ConvertRequest convert;
    std::string shell;
};

/// Prints to standard output; a full disk behind it is an error, a closed pipe the quiet end.
void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw Error(ErrorKind::environment, "cannot write to standard output",
                    "check the disk that it goes to");
    }
}

class CommandLine {
  public:
    explicit CommandLine(std::span<const char* const> arguments)
        : arguments_(arguments),
          app_("Shows how far a program scales, from a few cheap small runs", "plimsoll") {
        if (arguments.size() > 1) table_.command = arguments[1];
        table_.given = given_options(arguments);
        app_.require_subcommand(0, 1);
        app_.set_help_flag("-h,--help", "Print this page");
        app_.set_version_flag("--version", fmt::format("plimsoll {}", version), "Print the version");
        texts_[&app_] = {
            .examples = {"plimsoll fit runs.jsonl --at p=4096", "plimsoll fit runs.jsonl -o models.json"},
            .remarks = program_remarks};
        add_fit();
        add_predict();
        add_show();
        add_convert();
        add_completion();
    }

    int run() {
        refuse_unknown_command(app_, arguments_);
        if (arguments_.size() < 2) {
            print(short_page(app_, texts_.at(&app_), text_width()));
            return 0;
        }
        if (arguments_.size() == 2 && !starts_with_dash(arguments_[1])) {
            const CLI::App* const command = app_.get_subcommand(arguments_[1]);
            print(short_page(*command, texts_.at(command), text_width()));
            return exit_code(ErrorKind::usage);  // for scripts whose list of files came out empty
        }
        try {
            app_.parse(static_cast<int>(arguments_.size()), arguments_.data());
        } catch (const CLI::CallForHelp&) {
            print(help_page(selected(), texts_.at(&selected()), text_width()));
            return 0;
        } catch (const CLI::CallForVersion& call) {
            print(std::string(call.what()) + "\n");
            return 0;
        } catch (const CLI::ParseError& error) {
            throw usage_error(app_, error);
        }
        if (request_.shared.debug) trace_options();
        TerminalProgress progress(request_.shared.debug ? Trace::on : Trace::off);
        stop_on_interrupt(progress);
        execute(progress);
        return 0;
    }

  private:
    static bool starts_with_dash(const char* word) { return *word == '-'; }

    CLI::App& add_command(const std::string& name, const std::string& summary, HelpText text) {
        CLI::App* const command = app_.add_subcommand(name, summary);
        command->set_help_flag("-h,--help", "Print this page")->group(shared_group);
        texts_[command] = std::move(text);
        return *command;
    }

    void add_shared(CLI::App& command) {
        Shared& shared = request_.shared;
        const auto flag = [&](const char* name, bool& value, const char* help) {
            command.add_flag(name, value, help)->disable_flag_override()->group(shared_group);
        };
        flag("--json", shared.json, "Print one JSON document");
        flag("--quiet", shared.quiet, "Print only what a script loops over, and no notes");
        flag("--debug", shared.debug, "Trace options and times, and say more where something fails");
        OptionBinder bind(command, table_, shared_group);
        bind("color", shared.color, "When text is coloured");
        bind("threads", shared.threads, "Threads to work with; 0 for one per core", Between{0, most_threads});
    }

    void add_inputs(CLI::App& command, Inputs& inputs, const std::string& what) {
        command.add_option("INPUT", inputs.paths, what)->required();
        OptionBinder bind(command, table_, input_group);
        describe(inputs.read, bind);
        describe(inputs.transform, bind);
        std::vector<std::string>& formats = table_.choices[command.get_option("--format")];
        for (const experiment::Format& format : experiment::formats()) formats.emplace_back(format.name);
        command.get_option("--format")->type_name(join(formats, "|"));
    }

    static void add_points(CLI::App& command, std::vector<std::string>& at, const std::string& otherwise) {
        command
            .add_option(
                "--at", at,
                "Point to predict, such as p=4096,n=9000; may be repeated (default " + otherwise + ")")
            ->type_name("POINT")
            ->allow_extra_args(false);
    }

    void add_fit() {
        CLI::App& command = add_command(
            "fit", "Model how each region's metrics grow",
            {.examples = {"plimsoll fit runs.jsonl --at p=4096,n=9000",
                          "plimsoll fit profiles/ --region 'main->*' --statistic median -o models.json"},
             .remarks = {}});
        add_inputs(command, request_.fit.inputs, "Measurements: files, folders, or - for standard input");
        add_points(command, request_.fit.at, "the largest measured values");
        command
            .add_option("-o,--output", request_.fit_output,
                        "Write the models (plimsoll.fit/1) to a file; - for standard output (default none)")
            ->type_name("FILE")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        add_formula(command);
        OptionBinder bind(command, table_, search_group);
        describe(request_.fit.fit, bind);
        add_shared(command);
    }

    void add_formula(CLI::App& command) {
        std::vector<std::string> words;
        for (const auto& entry : enum_names(model::FormulaStyle::text)) words.emplace_back(entry.name);
        const auto parse = [this, words](const std::string& word) {
            request_.formulas =
                enum_names(model::FormulaStyle::text)[OptionBinder::choose("--formula", word, words)].value;
        };
        CLI::Option* const option = command.add_option_function<std::string>(
            "--formula", parse,
            "Print region, metric and formula alone, separated by tabs, in this language (default none)");
        option->type_name(join(words, "|"))->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        table_.choices[option] = words;
    }

    void add_predict() {
        CLI::App& command = add_command("predict", "Predict by stored models, or by models of measurements",
                                        {.examples = {"plimsoll predict models.json --at p=4096,n=9000",
                                                      "plimsoll predict small.jsonl --against large.jsonl"},
                                         .remarks = {}});
        add_inputs(command, request_.predict.fit.inputs,
                   "One file of models (plimsoll.fit/1), or measurements");
        add_points(command, request_.predict.fit.at, "the points of --against");
        command
            .add_option(
                "--against", request_.predict.against,
                "Measurements to put beside the predictions of their points; may be repeated (default none)")
            ->type_name("INPUT")
            ->allow_extra_args(false);
        OptionBinder bind(command, table_, search_group);
        describe(request_.predict.fit.fit, bind);
        add_shared(command);
    }

    void add_show() {
        CLI::App& command = add_command(
            "show", "Show what measurements hold: points, call tree, completeness, spread",
            {.examples = {"plimsoll show runs.jsonl", "plimsoll show profiles/ --json"}, .remarks = {}});
        add_inputs(command, request_.show, "Measurements: files, folders, or - for standard input");
        add_shared(command);
    }

    void add_convert() {
        std::string formats = "Formats that are read:\n";
        for (const experiment::Format& format : experiment::formats()) {
            formats += fmt::format("  {:<10} {}\n", format.name, format.description);
        }
        CLI::App& command =
            add_command("convert", "Write measurements in our JSON lines, or as an Extra-P experiment",
                        {.examples = {"plimsoll convert profiles/ -o runs.jsonl",
                                      "plimsoll convert runs.csv --parameter-columns p,n -o runs.extra-p"},
                         .remarks = formats});
        add_inputs(command, request_.convert.inputs, "Measurements: files, folders, or - for standard input");
        command
            .add_option("-o,--output", request_.convert.output,
                        "File to write; - for standard output (default -)")
            ->type_name("FILE")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        OptionBinder(command, table_, own_group)("to", request_.convert.to, "Format to write");
        add_shared(command);
    }

    void add_completion() {
        CLI::App& command =
            add_command("completion", "Print the completion script of a shell",
                        {.examples = {"source <(plimsoll completion bash)",
                                      "plimsoll completion fish > ~/.config/fish/completions/plimsoll.fish"},
                         .remarks = {}});
        command.add_option("SHELL", request_.shell, "A shell: bash, zsh or fish")->required();
    }

    [[nodiscard]] const CLI::App& selected() const {
        const auto chosen = app_.get_subcommands();
        return chosen.empty() ? app_ : *chosen.front();
    }

    /// Where each option that is not left alone came from.
    void trace_options() const {
        fmt::print(stderr, "debug: plimsoll {}, command '{}'\n", version, selected().get_name());
        for (const CLI::Option* const option : selected().get_options()) {
            if (option->count() == 0) continue;
            std::string line = option->get_name();
            if (option->get_items_expected_max() > 0) line += " " + join(option->results(), " ");
            const bool from_variable =
                !option->get_envname().empty() && !table_.given.contains(option->get_lnames().front());
            if (from_variable) line += fmt::format(" (from {})", option->get_envname());
            fmt::print(stderr, "debug: {}\n", line);
        }
    }

    /// Long options given on the command line that models in a file leave no use for.
    [[nodiscard]] std::vector<std::string> given_for_search() const {
        std::vector<std::string> names;
        for (const CLI::Option* const option : selected().get_options()) {
            if (option->get_group() != search_group) continue;
            if (table_.given.contains(option->get_lnames().front())) names.push_back(option->get_name());
        }
        for (const char* const name : {"scaling", "processes-parameter", "ranks", "tree"}) {
            if (table_.given.contains(name)) names.push_back(fmt::format("--{}", name));
        }
        return names;
    }

    [[nodiscard]] std::vector<CompletionCommand> completion_commands() const {
        std::vector<CompletionCommand> commands;
        for (const CLI::App* const command : app_.get_subcommands([](const CLI::App*) { return true; })) {
            CompletionCommand entry{
                .name = command->get_name(), .help = command->get_description(), .options = {}, .words = {}};
            for (const CLI::Option* const option : command->get_options()) {
                if (option->get_positional()) continue;
                const auto choices = table_.choices.find(option);
                const auto add = [&](const std::string& name) {
                    entry.options.push_back({.name = name,
                                             .help = option->get_description(),
                                             .takes_value = option->get_items_expected_max() > 0,
                                             .choices = choices == table_.choices.end()
                                                            ? std::vector<std::string>{}
                                                            : choices->second});
                };
                for (const std::string& name : option->get_lnames()) add("--" + name);
                for (const std::string& name : option->get_snames()) add("-" + name);
            }
            if (entry.name == "completion") entry.words = {"bash", "zsh", "fish"};
            commands.push_back(std::move(entry));
        }
        return commands;
    }

    /// Notes go to standard error, unless they stand in the JSON document or nobody wants them.
    void print_notes(const std::vector<std::string>& notes) const {
        if (request_.shared.json || request_.shared.quiet) return;
        fmt::print(stderr, "{}", notes_text(notes, Style(use_color(request_.shared.color, 2))));
    }

    /// What is now so, and the likely next command.
    void print_step(const std::string& text) const {
        if (!request_.shared.json && !request_.shared.quiet) fmt::print(stderr, "{}\n", text);
    }

    void execute(Progress& progress) {
        const std::string name = selected().get_name();
        const Style style(use_color(request_.shared.color, STDOUT_FILENO));
        const bool json = request_.shared.json;
        const bool quiet = request_.shared.quiet;
        request_.fit.threads = request_.predict.fit.threads = request_.shared.threads;
        if (name == "fit") {
            const model::FitDocument document = fit(request_.fit, progress);
            if (!request_.fit_output.empty()) {
                OutputFile file(request_.fit_output);
                file.write(model::to_json(document));
                file.commit();
            }
            const auto formulas =
                request_.formulas || !quiet ? request_.formulas : std::optional(model::FormulaStyle::text);
            if (request_.fit_output != "-")
                print(json ? model::to_json(document) : to_text(document, formulas, style));
            print_notes(notes_of(document));
            if (!request_.fit_output.empty() && request_.fit_output != "-") {
                print_step(next_step(document, request_.fit_output));
            }
        } else if (name == "predict") {
            request_.predict.search_options = given_for_search();
            const PredictReport report = predict(request_.predict, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
        } else if (name == "show") {
            const ShowReport report = show(request_.show, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
        } else if (name == "convert") {
            if (json && request_.convert.output == "-") {
                throw Error(ErrorKind::usage, "--json and the measurements cannot both go to standard output",
                            "name a file for the measurements with -o");
            }
            const ConvertReport report = convert(request_.convert, progress);
            if (json) print(to_json(report));
            if (quiet && !json && report.output != "-") print(report.output + "\n");
            print_notes(report.notes);
            print_step(to_text(report));
        } else {
            print(completion_script(request_.shell, completion_commands()));
        }
    }

    std::span<const char* const> arguments_;
    OptionTable table_;
    CLI::App app_;
    HelpTexts texts_;
    Request request_;
};

/// Error and hint, as lines or as JSON, on standard error. Asks the raw arguments, since parsing may have
/// failed.
int report(const Error& error, std::span<const char* const> arguments) {
    const std::set<std::string> given = given_options(arguments);
    if (given.contains("debug")) {
        fmt::print(stderr, "debug: {} error, exit status {}\n", name(error.kind()), exit_code(error.kind()));
    }
    if (given.contains("json")) {
        fmt::print(stderr, "{}", to_json(error));
    } else {
        const Style style(use_color(color_choice(arguments), STDERR_FILENO));
        fmt::print(stderr, "{} {}\n", style.error("error:"), error.what());
        if (!error.hint().empty()) fmt::print(stderr, "{} {}\n", style.hint("hint:"), error.hint());
    }
    return exit_code(error.kind());
}

/// The class of an exception, as its source has it.
std::string class_name(const std::exception& exception) {
    int status = 0;
    char* const readable = abi::__cxa_demangle(typeid(exception).name(), nullptr, nullptr, &status);
    std::string name = status == 0 ? readable : typeid(exception).name();
    std::free(readable);  // NOLINT(*-no-malloc): that is how the library hands it out
    return name;
}

}  // namespace

int run(std::span<const char* const> arguments) {
    end_quietly_on_closed_pipe();
    try {
        return CommandLine(arguments).run();
    } catch (const Error& error) {
        return report(error, arguments);
    } catch (const Cancelled&) {
        fmt::print(stderr, "interrupted; nothing was written\n");
        return 130;
    } catch (const std::bad_alloc&) {
        return report(
            Error(ErrorKind::environment, "out of memory", "model fewer regions at once, with --region"),
            arguments);
    } catch (const std::exception& exception) {
        return report(Error(ErrorKind::internal,
                            fmt::format("unexpected {}: {}", class_name(exception), exception.what()),
                            "this is a bug in plimsoll: please report it with the command and its input"),
                      arguments);
    }
}

}  // namespace plimsoll::app
