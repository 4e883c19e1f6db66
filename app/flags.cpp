#include "app/flags.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/toml_file.hpp"
#include "app/usage.hpp"
#include "plimsoll/profile/format.hpp"
#include "version.hpp"

namespace plimsoll::app {

namespace {

constexpr int most_threads = 4096;

constexpr const char* program_remarks =
    "Results go to standard output, notes and errors to standard error. With --json,\n"
    "standard output is one JSON document or nothing, and an error is one too.\n"
    "\n"
    "Variables: PLIMSOLL_STATISTIC=median stands for --statistic median, and so for every\n"
    "option of the groups Measurements and Search, --color and --threads. A flag wins.\n"
    "\n"
    "Exit status: 0 done, 1 done and the answer is no, 2 wrong command, option or input,\n"
    "3 the machine refused (disk full, no permission), 70 a bug of ours, 130 interrupted\n";

constexpr const char* models_or_measurements = "One file of models (plimsoll.fit/1), or measurements";

void add_points(CLI::App& command, std::vector<std::string>& at, const std::string& otherwise) {
    command
        .add_option("--at", at,
                    "Point to predict, such as p=4096,n=9000; may be repeated (default " + otherwise + ")")
        ->type_name("POINT")
        ->allow_extra_args(false);
}

}  // namespace

Flags::Flags(std::span<const char* const> arguments, Declared declared)
    : app_("Shows how far a program scales, from a few cheap small runs", "plimsoll"), declared_(declared) {
    if (arguments.size() > 1) table_.command = arguments[1];
    const bool has_verbs = table_.command == "campaign" || table_.command == "checkpoint" ||
                           table_.command == "plan" || table_.command == "report";
    if (has_verbs && arguments.size() > 2) table_.command += fmt::format(" {}", arguments[2]);
    table_.given = given_options(arguments);
    app_.require_subcommand(0, 1);
    app_.set_help_flag("-h,--help", "Print this page");
    app_.set_version_flag("--version", fmt::format("plimsoll {}", version), "Print the version");
    texts_[&app_] = {
        .examples = {"plimsoll fit runs.jsonl --at p=4096", "plimsoll fit runs.jsonl -o models.json"},
        .remarks = program_remarks};
    add_measure();
    add_fit();
    add_predict();
    add_rank();
    add_compare();
    add_expect();
    add_training();
    add_plan();
    add_plot();
    add_report();
    add_show();
    add_convert();
    add_formats();
    add_campaign();
    add_checkpoint();
    add_completion();
}

void Flags::parse(std::span<const char* const> arguments) {
    // What stands behind -- is another program's command line.
    const auto end = table_.command == "measure" || table_.command == "campaign submit"
                         ? std::find(arguments.begin(), arguments.end(), std::string_view("--"))
                         : arguments.end();
    if (end != arguments.end())
        (table_.command == "measure" ? request_.measure.command : request_.campaign.submit.command)
            .assign(end + 1, arguments.end());
    try {
        app_.parse(static_cast<int>(end - arguments.begin()), arguments.data());
        if (const auto name = command_path(selected()); name.starts_with("campaign "))
            request_.campaign.verb = name.substr(9);
        if (!request_.measure.file.empty()) read_options(request_.measure.file);
    } catch (const CLI::CallForHelp&) {
        throw;
    } catch (const CLI::CallForVersion&) {
        throw;
    } catch (const CLI::ParseError& error) {
        if (declared_ == Declared::all) throw usage_error(app_, error);
        // What is wrong may concern another command's options.
        Flags(arguments, Declared::all).parse(arguments);
        throw usage_error(app_, error);
    }
}

const CLI::App& Flags::selected() const { return innermost(app_); }

CLI::App& Flags::add_command(const std::string& name, const std::string& summary, HelpText text) {
    CLI::App* const command = app_.add_subcommand(name, summary);
    command->set_help_flag("-h,--help", "Print this page")->group(shared_group);
    texts_[command] = std::move(text);
    return *command;
}

/// Completion asks for the options of all commands. Any other call needs those of its own: a hundred options
/// that nobody asks for would take longer to declare than a small file to model.
bool Flags::needs_options(const CLI::App& command) const {
    const std::string path = command_path(command);
    return declared_ == Declared::all || table_.command == "completion" || table_.command == path ||
           table_.command.starts_with(path + " ");
}

void Flags::add_shared(CLI::App& command) {
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

void Flags::add_inputs(CLI::App& command, Inputs& inputs, const std::string& what) {
    command.add_option("INPUT", inputs.paths, what)->required();
    add_reading(command, inputs);
}

/// How measurements are read, and what is done to them before they are modelled.
void Flags::add_reading(CLI::App& command, Inputs& inputs) {
    OptionBinder bind(command, table_, input_group);
    describe(inputs.read, bind);
    describe(inputs.profiles, bind);
    describe(inputs.transform, bind);
    std::vector<std::string>& formats = table_.choices[command.get_option("--format")];
    for (const experiment::Format& format : experiment::formats()) formats.emplace_back(format.name);
    for (const profile::ProfileFormat& format : profile::formats()) formats.emplace_back(format.name);
    command.get_option("--format")->type_name("FORMAT");
}

void Flags::add_measure() {
    CLI::App& command = add_command(
        "measure", "Run a program at several sizes, and keep what it takes",
        {.examples = {"plimsoll measure --parameter n=1000,2000,4000 -- ./app --size {n}",
                      "plimsoll measure runs.toml --dry-run"},
         .remarks =
             "The program's command line stands behind --; no shell sees it. In it, {n} stands for the\n"
             "value of the parameter n, {run} and {repetition} for numbers, and {{ for a brace.\n"
             "\n"
             "Values: 1,2,4 or 1..16*2 or 100..500+100. Metrics: time, user, system, cpu, rss, faults,\n"
             "context-switches, read-bytes, write-bytes, energy, stdout:LABEL (a number beside it),\n"
             "stdout:/regular (expression)/, the same of stderr, file:PATH (measurements of regions);\n"
             "'as NAME' or 'as NAME [UNIT]' behind one renames it\n"
             "\n"
             "FILE holds the same options in TOML: repetitions = 5, metric = [\"time\", \"rss\"],\n"
             "command = [\"./app\", \"--size\", \"{n}\"], [parameter] n = \"1000..8000*2\". A flag wins "
             "over\n"
             "a variable such as PLIMSOLL_REPETITIONS, and that over the file.\n"
             "\n"
             "The same command continues what was interrupted, and tries again what failed.\n"
             "Exit status: 0, or 1 where runs failed\n",
         .behind = "[-- PROGRAM [ARGUMENT...]]"});
    if (!needs_options(command)) return;
    MeasureRequest& request = request_.measure;
    command.add_option("FILE", request.file, "A file of options, TOML");
    const auto several = [&](const char* name, std::vector<std::string>& values, const char* value_name,
                             const char* help) {
        command.add_option(name, values, help)->type_name(value_name)->allow_extra_args(false);
    };
    const auto one = [&](const char* name, std::string& value, const char* value_name, const char* help) {
        command.add_option(name, value, help)
            ->type_name(value_name)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    };
    const auto flag = [&](const char* name, bool& value, const char* help) {
        command.add_flag(name, value, help)->disable_flag_override();
    };
    several("--parameter", request.parameters, "PARAMETER",
            "A parameter and its values, such as n=1000,2000,4000; may be repeated (default none)");
    one("--points", request.points, "FILE",
        "Combinations to run instead: a CSV table or JSON lines of the parameters (default none)");
    several("--metric", request.metrics, "METRIC",
            "What to measure, such as time,rss,stdout:GFLOP/s; may be repeated (default time)");
    one("-o,--output", request.output, "FILE", "File to write or to continue (default runs.jsonl)");
    flag("--fresh", request.fresh, "Replace the file instead of continuing it");
    several("--env", request.environment, "ASSIGNMENT",
            "NAME=VALUE in the environment of each run, with placeholders; may be repeated (default none)");
    one("--stdin", request.input, "FILE", "File that each run reads, with placeholders (default nothing)");
    one("--cwd", request.folder, "FOLDER",
        "Folder that each run works in, with placeholders (default this one)");
    one("--campaign", request.campaign, "FOLDER",
        "Run it on the workers of the campaign there, one run after the other (default here)");
    flag("--dry-run", request.dry_run, "Print the runs, and start none");
    OptionBinder bind(command, table_, own_group);
    describe(request.options, bind);
    add_shared(command);
    command.remove_option(command.get_option("--threads"));  // it would be taken for the program's
}

/// Takes from a file what neither a flag nor a variable has said.
void Flags::read_options(const std::string& path) {
    CLI::App& command = *app_.get_subcommand("measure");
    std::vector<std::string> names{"command"};
    for (const CLI::Option* const option : command.get_options()) {
        if (option->get_group() == own_group && !option->get_positional())
            names.push_back(option->get_lnames().front());
    }
    for (const TomlOption& entry : read_toml(path)) {
        if (std::find(names.begin(), names.end(), entry.name) == names.end()) {
            const auto near = nearest(entry.name, names);
            throw Error(ErrorKind::input, entry.place, fmt::format("there is no option '{}'", entry.name),
                        near ? fmt::format("did you mean '{}'?", *near)
                             : fmt::format("use one of {}", join(names, ", ")));
        }
        if (entry.name == "command") {
            if (request_.measure.command.empty()) request_.measure.command = entry.words;
            continue;
        }
        CLI::Option& option = *command.get_option("--" + entry.name);
        if (option.count() > 0) continue;
        table_.given.insert(entry.name);  // so messages name it as a flag is named
        try {
            for (const std::string& word : entry.words) option.add_result(word);
            option.run_callback();
        } catch (const Error& error) {
            throw Error(error.kind(), entry.place, error.what(), error.hint());
        } catch (const CLI::ParseError&) {
            throw Error(ErrorKind::input, entry.place,
                        fmt::format("'{}' cannot be '{}'", entry.name, join(entry.words, ", ")),
                        fmt::format("run 'plimsoll measure --help' for what {} takes", option.get_name()));
        }
    }
}

void Flags::add_fit() {
    CLI::App& command = add_command(
        "fit", "Model how each region's metrics grow",
        {.examples = {"plimsoll fit runs.jsonl --at p=4096,n=9000",
                      "plimsoll fit profiles/ --region 'main->*' --statistic median -o models.json"},
         .remarks = {}});
    if (!needs_options(command)) return;
    add_inputs(command, request_.fit.inputs, "Measurements: files, folders, or - for standard input");
    add_points(command, request_.fit.at, "the largest measured values");
    command
        .add_option("-o,--output", request_.fit_output,
                    "Write the models (plimsoll.fit/1) to a file; - for standard output (default none)")
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    add_formula(command);
    command
        .add_option(
            "--explain", request_.fit.explain,
            "Print instead why the models of the regions whose path fits this pattern are what they are: "
            "forms, noise, points; may be repeated (default none)")
        ->type_name("REGION")
        ->allow_extra_args(false);
    OptionBinder bind(command, table_, search_group);
    describe(request_.fit.fit, bind);
    add_shared(command);
}

void Flags::add_formula(CLI::App& command) {
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

/// Positional models or measurements, and how the latter are modelled.
void Flags::add_models(CLI::App& command, ModelsRequest& models, const std::string& what) {
    add_inputs(command, models.fit.inputs, what);
    OptionBinder bind(command, table_, search_group);
    describe(models.fit.fit, bind);
}

void Flags::add_predict() {
    CLI::App& command = add_command("predict", "Predict by stored models, or by models of measurements",
                                    {.examples = {"plimsoll predict models.json --at p=4096,n=9000",
                                                  "plimsoll predict small.jsonl --against large.jsonl"},
                                     .remarks = {}});
    if (!needs_options(command)) return;
    add_models(command, request_.predict.models, models_or_measurements);
    add_points(command, request_.predict.models.fit.at, "the points of --against");
    command
        .add_option(
            "--against", request_.predict.against,
            "Measurements to put beside the predictions of their points; may be repeated (default none)")
        ->type_name("INPUT")
        ->allow_extra_args(false);
    add_shared(command);
}

void Flags::add_rank() {
    CLI::App& command = add_command("rank", "Order regions by growth and by cost, and find where they cross",
                                    {.examples = {"plimsoll rank models.json --at p=4096",
                                                  "plimsoll rank runs.jsonl --at p=4096 --by cost"},
                                     .remarks = {}});
    if (!needs_options(command)) return;
    add_models(command, request_.rank.models, models_or_measurements);
    add_points(command, request_.rank.models.fit.at, "four times the largest measured values");
    OptionBinder bind(command, table_, own_group);
    describe(request_.rank.rank, bind);
    add_shared(command);
}

void Flags::add_training() {
    CLI::App& command = add_command(
        "training", "Tell how long a distributed training takes, and where its efficiency goes",
        {.examples = {"plimsoll training traces/ --dataset-size 1281167 --batch 256 --epochs 90",
                      "plimsoll training models.json --batch batch_size --at p=64,batch_size=128"},
         .remarks = {}});
    if (!needs_options(command)) return;
    TrainingRequest& request = request_.training;
    request.models.fit.inputs.profiles.steps = profile::StepSearch::period;
    request.models.fit.fit.statistic = model::Statistic::mean_of_all;
    add_models(command, request.models, "One file of models (plimsoll.fit/1), or profiles of steps");
    add_points(command, request.models.fit.at, "from the fewest processes measured to eight times the most");
    OptionBinder bind(command, table_, own_group);
    describe(request.schedule, bind);
    describe(request.options, bind);
    command
        .add_option("--samples", request.samples,
                    "Measurements, or models, of the samples that a training needs by its global batch; it "
                    "takes --epochs if absent")
        ->type_name("FILE")
        ->group(own_group);
    add_shared(command);
}

void Flags::add_plan() {
    CLI::App& plan =
        add_command("plan", "Choose how to run: machine, processes, cost, time",
                    {.examples = {"plimsoll plan config models.json --machine machines.toml --deadline 24h",
                                  "plimsoll plan config runs.jsonl --machine machines.toml --budget 5000EUR"},
                     .remarks = {}});
    plan.require_subcommand(0, 1);
    if (!needs_options(plan)) return;
    CLI::App& command = *plan.add_subcommand(
        "config", "Choose the cheapest, fastest and most efficient configuration within limits");
    command.set_help_flag("-h,--help", "Print this page")->group(shared_group);
    texts_[&command] = {
        .examples =
            {"plimsoll plan config models.json --machine machines.toml --deadline 24h --budget 5000EUR",
             "plimsoll plan config traces/ --machine gpus.toml --dataset-size 1281167 --epochs 90 "
             "--deadline 12h"},
        .remarks =
            "Machines: [[machine]] name = \"cpu\" nodes = 128 cores-per-node = 64 price = "
            "\"2.40EUR/node-h\"\n"
            "granularity = \"1min\"; docs/formats/machines.md lists all keys.\n"
            "\n"
            "Values of parameters: 64,128 or 64..4096*2 or 100..500+100.\n"
            "With --dataset-size the time is that of a training, as 'plimsoll training' tells it.\n"
            "\n"
            "Exit status: 0, or 1 where no configuration keeps all limits\n"};
    if (!needs_options(command)) return;
    PlanConfigRequest& request = request_.plan_config;
    add_models(command, request.models, models_or_measurements);
    command.remove_option(command.get_option("--coverage"));  // --confidence says how wide intervals are
    command.add_option("--machine", request.machines, "File that describes machines, TOML (default none)")
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    command
        .add_option(
            "--parameter", request.parameters,
            "A parameter and its values to choose from, such as p=64..4096*2; may be repeated (default "
            "processes from the fewest measured to eight times the most, others at their largest)")
        ->type_name("PARAMETER")
        ->allow_extra_args(false);
    command
        .add_option(
            "--samples", request.samples,
            "Measurements, or models, of the samples that a training needs by its global batch; it takes "
            "--epochs if absent")
        ->type_name("FILE")
        ->group(own_group);
    OptionBinder bind(command, table_, own_group);
    describe(request.options, bind);
    describe(request.schedule, bind);
    add_shared(command);
}

void Flags::add_compare() {
    CLI::App& command = add_command(
        "compare", "Compare two versions of a program, region by region",
        {.examples = {"plimsoll compare before.jsonl after.jsonl",
                      "plimsoll compare before.json after.json --at p=4096 --fail-on slower"},
         .remarks = "Without --at the points that were measured in both are compared, with it the models.\n"
                    "\n"
                    "Exit status: 0; with --fail-on slower 1 where something is slower, and 2 where\n"
                    "nothing can be compared\n"});
    if (!needs_options(command)) return;
    CompareRequest& request = request_.compare;
    command.add_option("BEFORE", request.before, "Measurements of the first version, or its models")
        ->required();
    command.add_option("AFTER", request.after, "Measurements of the second version, or its models")
        ->required();
    add_points(command, request.models.fit.at, "the points measured in both");
    OptionBinder own(command, table_, own_group);
    describe(request.compare, own);
    add_reading(command, request.models.fit.inputs);
    OptionBinder search(command, table_, search_group);
    describe(request.models.fit.fit, search);
    command.remove_option(command.get_option("--coverage"));  // --confidence is that of the ratios
    add_shared(command);
}

void Flags::add_expect() {
    CLI::App& command = add_command(
        "expect", "Check that models keep the rules of a file",
        {.examples = {"plimsoll expect scaling.rules models.json",
                      "plimsoll expect scaling.rules runs.jsonl --strict"},
         .remarks = "Rules, one a line:\n"
                    "  main->solve : O(p^0.5 log p)            grows no faster, in every parameter\n"
                    "  main->io [time] <= 10 s @ p=4096        has such a value at a point\n"
                    "  efficiency(main) >= 70 % @ p=1024       scales from the smallest run so well\n"
                    "\n"
                    "Exit status: 0 all rules are kept or undecided, 1 one is broken\n"});
    if (!needs_options(command)) return;
    command.add_option("RULES", request_.expect.rules, "A file of rules, or - for standard input")
        ->required();
    add_models(command, request_.expect.models, models_or_measurements);
    command.add_flag("--strict", request_.expect.strict, "Count what is undecided as broken")
        ->disable_flag_override();
    add_shared(command);
}

void Flags::add_plot() {
    CLI::App& command = add_command(
        "plot", "Draw measurements, model and interval of regions along a parameter",
        {.examples = {"plimsoll plot runs.jsonl --region main->solve",
                      "plimsoll plot runs.jsonl --parameter p=4096 --parameter n=1000,9000 -o scaling.pdf"},
         .remarks = {}});
    if (!needs_options(command)) return;
    PlotRequest& request = request_.plot;
    add_models(command, request.models, models_or_measurements);
    command
        .add_option("--against", request.against,
                    "Measurements to draw beside models from a file; may be repeated (default none)")
        ->type_name("INPUT")
        ->allow_extra_args(false);
    command
        .add_option(
            "--parameter", request.parameters,
            "A parameter and its values: where the chart ends, p=4096 or p=2,4096, and which curves it has, "
            "n=1000,9000; may be repeated (default four times the largest measured, and curves for what was "
            "measured of one other parameter)")
        ->type_name("PARAMETER")
        ->allow_extra_args(false);
    command
        .add_option("-o,--output", request.output,
                    "Picture to draw instead: a file that ends with .svg, .png or .pdf (default none)")
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    OptionBinder bind(command, table_, own_group);
    describe(request.options, bind);
    add_shared(command);
}

void Flags::add_report() {
    CLI::App& report =
        add_command("report", "Look at scaling: a page to open, to send and to print",
                    {.examples = {"plimsoll report build runs.jsonl -o report.html",
                                  "plimsoll report build models.json runs.jsonl -o report.html"},
                     .remarks = {}});
    report.require_subcommand(0, 1);
    if (!needs_options(report)) return;
    ReportRequest& request = request_.report;
    const auto add_verb = [&](const std::string& name, const std::string& summary, HelpText text) {
        CLI::App* const command = report.add_subcommand(name, summary);
        command->set_help_flag("-h,--help", "Print this page")->group(shared_group);
        texts_[command] = std::move(text);
        return command;
    };
    const auto add_content = [&](CLI::App& command) {
        add_models(command, request.models,
                   "Measurements, one file of models (plimsoll.fit/1), or both; and what 'training', "
                   "'plan config' and 'campaign top' print with --json");
        add_points(command, request.models.fit.at, "four times the largest measured scale");
        command
            .add_option("--before", request.before,
                        "Measurements, or models, of an earlier version of the program, to compare with "
                        "(default none)")
            ->type_name("FILE")
            ->group(own_group)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        OptionBinder bind(command, table_, own_group);
        describe(request.options, bind);
    };
    CLI::App& build = *add_verb(
        "build", "Write a report as one file that opens in any browser, offline",
        {.examples = {"plimsoll report build runs.jsonl -o report.html --at p=4096",
                      "plimsoll report build models.json runs.jsonl -o report.html"},
         .remarks = "Measurements beside a file of models are shown with these models. In a folder, the "
                    "documents\nthat the report shows lie beside it.\n"});
    if (needs_options(build)) {
        add_content(build);
        build
            .add_option("-o,--output", request.output,
                        "File to write the report to, or folder that ends with a slash (default none)")
            ->type_name("FILE")
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
        add_shared(build);
    }
    CLI::App& serve = *add_verb(
        "serve", "Show a report on this machine, for a browser here or behind an SSH tunnel",
        {.examples = {"plimsoll report serve runs.jsonl --at p=4096",
                      "plimsoll report serve runs.jsonl --port 8080"},
         .remarks =
             "The page follows its inputs: what is appended to them is shown.\n"
             "From elsewhere: ssh -L 8080:127.0.0.1:8080 HOST, then open the address that is printed.\n"
             "Ctrl-C ends it.\n"});
    if (needs_options(serve)) {
        add_content(serve);
        OptionBinder bind(serve, table_, own_group);
        describe(request_.serve, bind);
        add_shared(serve);
    }
}

void Flags::add_show() {
    CLI::App& command = add_command(
        "show", "Show what measurements hold: points, call tree, completeness, spread",
        {.examples = {"plimsoll show runs.jsonl", "plimsoll show profiles/ --json"}, .remarks = {}});
    if (!needs_options(command)) return;
    add_inputs(command, request_.show, "Measurements: files, folders, or - for standard input");
    command
        .add_flag("--plot", request_.show_plot,
                  "Draw measurements and models of the regions chosen, as 'plimsoll plot' does")
        ->disable_flag_override();
    add_shared(command);
}

void Flags::add_convert() {
    CLI::App& command =
        add_command("convert", "Write measurements in our JSON lines, or as an Extra-P experiment",
                    {.examples = {"plimsoll convert profiles/ -o runs.jsonl",
                                  "plimsoll convert runs.csv --parameter-columns p,n -o runs.extra-p"},
                     .remarks = "Formats that are read: plimsoll formats\n"});
    if (!needs_options(command)) return;
    add_inputs(command, request_.convert.inputs, "Measurements: files, folders, or - for standard input");
    command
        .add_option("-o,--output", request_.convert.output,
                    "File to write; - for standard output (default -)")
        ->type_name("FILE")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    OptionBinder(command, table_, own_group)("to", request_.convert.to, "Format to write");
    add_shared(command);
}

void Flags::add_formats() {
    CLI::App& command =
        add_command("formats", "List the formats that are read, and how such files come about",
                    {.examples = {"plimsoll formats", "plimsoll formats --json"}, .remarks = {}});
    if (!needs_options(command)) return;
    add_shared(command);
}

void Flags::add_completion() {
    CLI::App& command = add_command(
        "completion", "Print the completion script of a shell",
        {.examples = {"source <(plimsoll completion bash)", "plimsoll completion zsh > ~/.zfunc/_plimsoll"},
         .remarks = "zsh finds it with fpath+=~/.zfunc before compinit in ~/.zshrc; the script of fish\n"
                    "belongs into ~/.config/fish/completions/plimsoll.fish\n"});
    command.add_option("SHELL", request_.shell, "A shell: bash, zsh or fish")->required();
}

std::vector<std::string> Flags::trace() const {
    std::vector<std::string> lines;
    for (const CLI::Option* const option : selected().get_options()) {
        if (option->count() == 0) continue;
        std::string line = option->get_name();
        if (option->get_items_expected_max() > 0) line += " " + join(option->results(), " ");
        const bool from_variable =
            !option->get_envname().empty() && !table_.given.contains(option->get_lnames().front());
        if (from_variable) line += fmt::format(" (from {})", option->get_envname());
        lines.push_back(std::move(line));
    }
    return lines;
}

std::vector<std::string> Flags::given_for_search() const {
    std::vector<std::string> names;
    for (const CLI::Option* const option : selected().get_options()) {
        if (option->get_group() != search_group || option->get_lnames().front() == "coverage") continue;
        if (table_.given.contains(option->get_lnames().front())) names.push_back(option->get_name());
    }
    for (const char* const name : {"scaling", "processes-parameter", "ranks", "tree"}) {
        if (table_.given.contains(name)) names.push_back(fmt::format("--{}", name));
    }
    return names;
}

void Flags::refuse_options_without_effect(model::Search search) const {
    if (search == model::Search::extra_p) {
        for (const char* const name : {"positive", "laws"}) {
            if (!table_.given.contains(name)) continue;
            throw Error(ErrorKind::usage, fmt::format("--{} is an option of --search posterior alone", name),
                        fmt::format("leave out one of --{} and --search extra-p", name));
        }
        return;
    }
    for (const CLI::Option* const option : selected().get_options()) {
        if (option->get_group() != search_group || !table_.given.contains(option->get_lnames().front()))
            continue;
        if (!model::is_extra_p_option(option->get_lnames().front())) continue;
        throw Error(ErrorKind::usage,
                    fmt::format("{} is an option of --search extra-p alone", option->get_name()),
                    "add --search extra-p, or leave it out");
    }
}

std::vector<CompletionCommand> Flags::completion_commands(const CLI::App& app) const {
    std::vector<CompletionCommand> commands;
    for (const CLI::App* const command : commands_of(app)) {
        CompletionCommand entry{.name = command->get_name(),
                                .help = command->get_description(),
                                .options = {},
                                .words = {},
                                .commands = completion_commands(*command)};
        for (const CLI::Option* const option : command->get_options()) {
            if (option->get_positional()) {
                if (option->get_name() == "ID") entry.words = {"last", "all"};
                if (option->get_name() == "ACTION") entry.words = {"start", "run", "stop", "status"};
                if (option->get_name() == "SHELL") entry.words = {"bash", "zsh", "fish"};
                continue;
            }
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
        commands.push_back(std::move(entry));
    }
    return commands;
}

}  // namespace plimsoll::app
