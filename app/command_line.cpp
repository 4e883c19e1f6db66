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

#include "app/campaign/campaign.hpp"
#include "app/flags.hpp"
#include "app/help.hpp"
#include "app/render/documents.hpp"
#include "app/render/table.hpp"
#include "app/terminal.hpp"
#include "app/usage.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/model/formula.hpp"
#include "version.hpp"

namespace plimsoll::app {

namespace {

/// Prints to standard output; a full disk behind it is an error, a closed pipe the quiet end.
void print(const std::string& text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw Error(ErrorKind::environment, "cannot write to standard output",
                    "check the disk that it goes to");
    }
}

constexpr int answer_is_no = 1;   ///< exit status of a command that is done
constexpr int interrupted = 130;  ///< exit status where the user asked to stop

/// Names of what a command takes beside options: "RULES INPUT".
std::string arguments_text(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* const option : command.get_options()) {
        if (option->get_positional()) names.push_back(option->get_name());
    }
    return join(names, " ");
}

/// Whether a command does its work without any argument. Those that run a program need it behind `--`.
bool runs_bare(const CLI::App& command) {
    if (!commands_of(command).empty() || command.get_name() == "submit" || command.get_name() == "measure")
        return false;
    const auto options = command.get_options();
    return std::none_of(options.begin(), options.end(), [](const CLI::Option* option) {
        return option->get_positional() && option->get_required();
    });
}

class CommandLine {
  public:
    explicit CommandLine(std::span<const char* const> arguments) : arguments_(arguments), flags_(arguments) {}

    int run() {
        const CLI::App& program = flags_.program();
        refuse_unknown_command(program, arguments_);
        if (arguments_.size() < 2) {
            print(short_page(program, flags_.help_of(program), text_width()));
            return 0;
        }
        const CLI::App* bare = nullptr;
        if (arguments_.size() == 2 && *arguments_[1] != '-') bare = program.get_subcommand(arguments_[1]);
        if (arguments_.size() == 3 && *arguments_[2] != '-' &&
            !commands_of(*program.get_subcommand(arguments_[1])).empty())
            bare = program.get_subcommand(arguments_[1])->get_subcommand(arguments_[2]);
        if (bare != nullptr && !runs_bare(*bare)) {
            const CLI::App& command = *bare;
            print(short_page(command, flags_.help_of(command), text_width()));
            if (!commands_of(command).empty()) return 0;
            // For scripts whose list of files came out empty.
            if (command.get_name() == "submit")
                throw Error(ErrorKind::usage, "no COMMAND is given",
                            "write 'plimsoll campaign submit -- COMMAND'");
            const std::string wanted = arguments_text(command);
            throw Error(ErrorKind::usage, fmt::format("no {} is given", wanted.substr(0, wanted.find(' '))),
                        fmt::format("write 'plimsoll {} {}'", command_path(command), wanted));
        }
        try {
            flags_.parse(arguments_);
        } catch (const CLI::CallForHelp&) {
            print(help_page(flags_.selected(), flags_.help_of(flags_.selected()), text_width()));
            return 0;
        } catch (const CLI::CallForVersion& call) {
            print(std::string(call.what()) + "\n");
            return 0;
        }
        request_ = flags_.request();
        request_.fit.threads = request_.shared.threads;
        if (command_path(flags_.selected()) == "fit")
            flags_.refuse_options_without_effect(request_.fit.fit.search);
        if (ModelsRequest* const models = models_request()) {
            models->fit.threads = request_.shared.threads;
            models->search_options = flags_.given_for_search();
            flags_.refuse_options_without_effect(models->fit.fit.search);
        }
        if (request_.shared.debug) trace_options();
        TerminalProgress progress(request_.shared.debug ? Trace::on : Trace::off);
        stop_on_interrupt(progress);
        const int status = execute(progress);
        print_notes(mistyped_variables(flags_.variables(),
                                       [&] { return Flags(arguments_, Flags::Declared::all).variables(); }));
        return status;
    }

  private:
    /// What the command is told of models, where it works on some.
    ModelsRequest* models_request() {
        const std::string name = command_path(flags_.selected());
        if (name == "predict") return &request_.predict.models;
        if (name == "rank") return &request_.rank.models;
        if (name == "training") return &request_.training.models;
        if (name == "compare") return &request_.compare.models;
        if (name == "plan config") return &request_.plan_config.models;
        if (name == "plot") return &request_.plot.models;
        if (name == "report build" || name == "report serve") return &request_.report.models;
        return name == "expect" ? &request_.expect.models : nullptr;
    }

    void trace_options() const {
        fmt::print(stderr, "debug: plimsoll {}, command '{}'\n", version, command_path(flags_.selected()));
        for (const std::string& line : flags_.trace()) fmt::print(stderr, "debug: {}\n", line);
    }

    /// Notes go to standard error, unless they stand in the JSON document or nobody wants them.
    void print_notes(const std::vector<std::string>& notes) const {
        if (request_.shared.json || request_.shared.quiet) return;
        fmt::print(stderr, "{}", notes_text(notes, Style(use_color(request_.shared.color, 2))));
    }

    /// Options of `fit` that ask for what would not be printed.
    void refuse_idle_options() const {
        const bool json = request_.shared.json || request_.fit_output == "-";
        const std::string writer = request_.shared.json ? "--json" : "-o -";
        if (request_.formulas && json) {
            throw Error(ErrorKind::usage, fmt::format("--formula has no effect beside {}", writer),
                        fmt::format("leave out {}, or read 'formula' in the document", writer));
        }
        const bool formulas_alone = request_.formulas || request_.shared.quiet;
        const bool explains = !request_.fit.explain.empty();
        if (explains && request_.fit.fit.search != model::Search::posterior) {
            throw Error(ErrorKind::usage, "--explain is an option of --search posterior alone",
                        fmt::format("leave out one of --explain and --search {}",
                                    enum_name(request_.fit.fit.search)));
        }
        if (explains && formulas_alone && !json && request_.fit_output.empty()) {
            throw Error(ErrorKind::usage,
                        fmt::format("--explain has no effect beside {}, which prints formulas alone",
                                    request_.formulas ? "--formula" : "--quiet"),
                        "leave one of them out");
        }
        if (!formulas_alone || request_.fit.at.empty() || json || !request_.fit_output.empty()) return;
        throw Error(ErrorKind::usage,
                    fmt::format("--at has no effect beside {}, which prints formulas alone",
                                request_.formulas ? "--formula" : "--quiet"),
                    fmt::format("predict instead: plimsoll predict {} --at {} --quiet",
                                request_.fit.inputs.paths.front(), request_.fit.at.front()));
    }

    /// Where formulas alone are printed, the list of these regions is not.
    void print_regions_without_model(const model::FitDocument& document) const {
        fmt::print(stderr, "{}",
                   notes_text(without_model(document), Style(use_color(request_.shared.color, 2))));
    }

    /// Says so where a person is asked to type measurements.
    void announce_terminal_input() const {
        if (request_.shared.json || request_.shared.quiet || ::isatty(STDIN_FILENO) != 1) return;
        for (const Inputs* const inputs :
             {&request_.fit.inputs, &request_.predict.models.fit.inputs, &request_.expect.models.fit.inputs,
              &request_.plan_config.models.fit.inputs, &request_.plot.models.fit.inputs,
              &request_.report.models.fit.inputs, &request_.show, &request_.convert.inputs}) {
            if (std::find(inputs->paths.begin(), inputs->paths.end(), "-") == inputs->paths.end()) continue;
            fmt::print(stderr, "reading from the terminal; Ctrl-D ends\n");
        }
    }

    /// Verbs of `campaign` whose text goes to standard output as it comes.
    void refuse_json_beside_text() {
        CampaignRequest& campaign = request_.campaign;
        campaign.once = true;  // `top`
        if (campaign.verb == "tail") {
            throw Error(ErrorKind::usage, "--json and what a task writes cannot both go to standard output",
                        "use 'plimsoll campaign cat --json'");
        }
        if (campaign.verb == "export" && campaign.output == "-") {
            throw Error(ErrorKind::usage, "--json and the export cannot both go to standard output",
                        "name a file for the export with -o");
        }
    }

    /// What is now so, and the likely next command.
    void print_step(const std::string& text) const {
        if (!request_.shared.json && !request_.shared.quiet) fmt::print(stderr, "{}\n", text);
    }

    /// The exit status comes back.
    int execute_checkpoint(const std::string& verb, Progress& progress, const Style& style) const {
        const bool json = request_.shared.json;
        const bool quiet = request_.shared.quiet;
        const CheckpointRequest& request = request_.checkpoint;
        if (verb == "ls") {
            const CheckpointList list = list_checkpoints(request);
            print(json ? to_json(list) : quiet ? to_lines(list) : to_text(list, style));
            print_notes(list.notes);
        } else if (verb == "show") {
            const CheckpointContent content = show_checkpoint(request);
            print(json ? to_json(content) : quiet ? to_lines(content) : to_text(content, style));
        } else if (verb == "verify") {
            const CheckpointHealth health = verify_checkpoints(request, progress);
            print(json ? to_json(health) : quiet ? to_lines(health) : to_text(health, style));
            return exit_code(health.verdict);
        } else if (verb == "prune") {
            const CheckpointPruning pruning = prune_checkpoints(request, progress);
            print(json ? to_json(pruning) : quiet ? to_lines(pruning) : to_text(pruning));
        } else if (verb == "export") {
            const CheckpointExport written = export_checkpoint(request, progress);
            print(json ? to_json(written) : quiet ? to_lines(written) : to_text(written));
        } else if (verb == "diff") {
            const CheckpointDiff diff = compare_checkpoints(request, progress);
            print(json ? to_json(diff) : quiet ? to_lines(diff) : to_text(diff, style));
            return diff.differs() ? answer_is_no : 0;
        } else {
            const CheckpointPin pin = pin_checkpoint(request);
            print(json ? to_json(pin) : quiet ? to_lines(pin) : to_text(pin));
        }
        return 0;
    }

    /// The exit status comes back.
    int execute(Progress& progress) {
        const std::string name = command_path(flags_.selected());
        const Style style(use_color(request_.shared.color, STDOUT_FILENO));
        const bool json = request_.shared.json;
        const bool quiet = request_.shared.quiet;
        announce_terminal_input();
        if (command_path(flags_.selected()).starts_with("campaign ")) {
            if (json) refuse_json_beside_text();
            request_.campaign.json = json;
            request_.campaign.quiet = quiet;
            const CampaignAnswer answer = run_campaign(request_.campaign, progress);
            print(json ? answer.json() : quiet ? answer.lines : answer.text);
            print_notes(answer.notes);
            if (!answer.step.empty()) print_step(answer.step);
            return answer.status;
        }
        if (name.starts_with("checkpoint "))
            return execute_checkpoint(name.substr(name.find(' ') + 1), progress, style);
        if (name == "measure") {
            const MeasureReport report = measure_program(request_.measure, progress);
            print(json ? to_json(report) : quiet ? report.output + "\n" : to_text(report, style));
            print_notes(report.notes);
            print_step(next_step(report));
            return report.interrupted ? interrupted : report.failures.empty() ? 0 : answer_is_no;
        }
        if (name == "fit") {
            refuse_idle_options();
            refuse_output_over_input(request_.fit_output, request_.fit.inputs.paths);
            const bool explains = !request_.fit.explain.empty() && !request_.formulas && !quiet;
            if (explains && !json && request_.fit_output.empty())
                request_.fit.others = FitRequest::Others::left_out;
            const model::FitDocument document = fit(request_.fit, progress);
            if (!request_.fit_output.empty()) {
                OutputFile file(request_.fit_output);
                file.write(model::to_json(document));
                file.commit();
            }
            const auto formulas =
                request_.formulas || !quiet ? request_.formulas : std::optional(model::FormulaStyle::text);
            if (request_.fit_output != "-")
                print(json       ? model::to_json(document)
                      : explains ? explanations_text(document, request_.fit.explain, style)
                                 : to_text(document, formulas, style));
            print_notes(notes_of(document));
            if (formulas && !json) print_regions_without_model(document);
            const bool any_model = std::any_of(document.models.begin(), document.models.end(),
                                               [](const auto& m) { return m.status == model::Status::ok; });
            if (!request_.fit_output.empty() && request_.fit_output != "-") {
                print_step(any_model ? next_step(document, request_.fit_output)
                                     : fmt::format("wrote {}: no model", request_.fit_output));
            }
        } else if (name == "predict") {
            const PredictReport report = predict(request_.predict, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
        } else if (name == "rank") {
            const RankReport report = rank(request_.rank, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
        } else if (name == "compare") {
            const CompareReport report = compare(request_.compare, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
            return report.fails() ? answer_is_no : 0;
        } else if (name == "expect") {
            const ExpectReport report = expect(request_.expect, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
            return report.any_fails() ? answer_is_no : 0;
        } else if (name == "training") {
            const TrainingReport report = training_times(request_.training, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
        } else if (name == "plan config") {
            const PlanConfigReport report = plan_config(request_.plan_config, progress);
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
            print_notes(report.notes);
            return report.feasible == 0 ? answer_is_no : 0;
        } else if (name == "plot") {
            const PlotReport report = plot(request_.plot, progress);
            const bool colored = use_color(request_.shared.color, STDOUT_FILENO);
            const bool has_picture = !report.output.empty();
            if (json || quiet || !has_picture)
                print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style, colored));
            print_notes(report.notes);
            if (has_picture) print_step(next_step(report));
        } else if (name == "report build") {
            if (json && request_.report.output == "-") {
                throw Error(ErrorKind::usage, "--json and the report cannot both go to standard output",
                            "name a file for the report with -o");
            }
            const ReportReport report = build_report(request_.report, progress);
            if (json) print(to_json(report));
            if (quiet && !json && report.output != "-") print(report.output + "\n");
            print_notes(report.notes);
            if (report.output != "-") print_step(to_text(report));
        } else if (name == "report serve") {
            const auto tell = [&](const ServedReport& served) {
                print(json ? to_json(served) : served.address + "\n");
                if (!served.warning.empty()) print_notes({served.warning});
                print_step(served.is_renewed
                               ? "open the address in a browser; it follows the inputs; Ctrl-C ends"
                               : "open the address in a browser; Ctrl-C ends");
            };
            serve_report(request_.report, request_.serve, tell, progress);
        } else if (name == "show") {
            if (request_.show_plot && (json || quiet))
                throw Error(ErrorKind::usage,
                            fmt::format("--plot has no effect beside {}", json ? "--json" : "--quiet"),
                            "use 'plimsoll plot' for what scripts read");
            const ShowReport report = show(request_.show, progress);
            std::string text = json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style);
            if (request_.show_plot) {
                PlotRequest request;
                request.models.fit.inputs = request_.show;
                request.models.fit.threads = request_.shared.threads;
                text += "\n" + to_text(plot(std::move(request), progress), style,
                                       use_color(request_.shared.color, STDOUT_FILENO));
            }
            print(text);
            print_notes(report.notes);
        } else if (name == "convert") {
            if (json && request_.convert.output == "-") {
                throw Error(ErrorKind::usage, "--json and the measurements cannot both go to standard output",
                            "name a file for the measurements with -o");
            }
            const ConvertReport report = convert(request_.convert, progress);
            if (json) print(to_json(report));
            if (quiet && !json && report.output != "-") print(report.output + "\n");
            print_step(understood_text(report));
            print_notes(report.notes);
            print_step(to_text(report));
        } else if (name == "formats") {
            const FormatsReport report = list_formats();
            print(json ? to_json(report) : quiet ? to_lines(report) : to_text(report, style));
        } else {
            print(completion_script(request_.shell, flags_.completion_commands(flags_.program())));
        }
        return 0;
    }

    std::span<const char* const> arguments_;
    Flags flags_;
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

/// `help`, `help COMMAND` and `version`, as other programs have them, in our words.
std::vector<const char*> with_usual_words(std::span<const char* const> arguments) {
    std::vector<const char*> words(arguments.begin(), arguments.end());
    const std::string_view first = words.size() > 1 ? words[1] : "";
    if (first == "version" && words.size() == 2) words[1] = "--version";
    if (first == "help" && words.size() == 2) words[1] = "--help";
    if (first == "help" && words.size() > 2) {
        words.erase(words.begin() + 1);
        words.push_back("--help");
    }
    return words;
}

}  // namespace

int run(std::span<const char* const> arguments) {
    end_quietly_on_closed_pipe();
    const std::vector<const char*> words = with_usual_words(arguments);
    try {
        return CommandLine(words).run();
    } catch (const Error& error) {
        return report(error, words);
    } catch (const Cancelled&) {
        const bool campaign = words.size() > 1 && std::string_view(words[1]) == "campaign";
        fmt::print(stderr, "{}\n",
                   campaign ? "interrupted; the campaign goes on" : "interrupted; nothing was written");
        return 130;
    } catch (const std::bad_alloc&) {
        return report(
            Error(ErrorKind::environment, "out of memory", "model fewer regions at once, with --region"),
            words);
    } catch (const std::exception& exception) {
        return report(Error(ErrorKind::internal,
                            fmt::format("unexpected {}: {}", class_name(exception), exception.what()),
                            "this is a bug in plimsoll: please report it with the command and its input"),
                      words);
    }
}

}  // namespace plimsoll::app
