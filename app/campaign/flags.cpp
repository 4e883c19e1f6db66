// The options of `plimsoll campaign` and its verbs.
#include "app/flags.hpp"

#include <fmt/format.h>

#include <cstring>

namespace plimsoll::app {

namespace {

constexpr int most_port = 65535;
constexpr int most_tries = 1'000'000;
constexpr double most_amount = 1e9;

constexpr const char* campaign_remarks =
    "A campaign is a folder (.plimsoll, made by init) with a server that keeps its tasks and\n"
    "workers that run them. Commands find the nearest one above the working folder.\n"
    "\n"
    "Jobs and tasks are named by ids: 3, 5-8, 4.17 for task 17 of job 4, last, all.\n"
    "\n"
    "Exit status: 0 done, 1 done and tasks failed (wait, submit --wait, tail), 2 wrong command or\n"
    "input, 3 no server or the machine refused, 70 a bug of ours, 130 interrupted\n";

void one(CLI::App& command, const char* name, std::string& value, const char* value_name, const char* help) {
    command.add_option(name, value, help)
        ->type_name(value_name)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void several(CLI::App& command, const char* name, std::vector<std::string>& values, const char* value_name,
             const char* help) {
    command.add_option(name, values, help)->type_name(value_name)->allow_extra_args(false);
}

void flag(CLI::App& command, const char* name, bool& value, const char* help) {
    command.add_flag(name, value, help)->disable_flag_override();
}

}  // namespace

void Flags::add_verb(CLI::App& campaign, const std::string& name, const std::string& summary, HelpText text,
                     const std::function<void(CLI::App&)>& options) {
    CLI::App* const command = campaign.add_subcommand(name, summary);
    command->set_help_flag("-h,--help", "Print this page")->group(shared_group);
    texts_[command] = std::move(text);
    if (!needs_options(*command)) return;
    options(*command);
    one(*command, "--campaign", request_.campaign.folder, "FOLDER",
        "The campaign's folder (default the nearest one above the working folder)");
    command->get_option("--campaign")->envname("PLIMSOLL_CAMPAIGN");
    table_.variables.insert("PLIMSOLL_CAMPAIGN");
    add_shared(*command);
}

void Flags::add_campaign() {
    CLI::App& campaign =
        add_command("campaign", "Run many tasks on this machine's cores, and keep what happened",
                    {.examples = {"plimsoll campaign submit --array 1..100 -- ./app --case {index}",
                                  "plimsoll campaign worker --until-done"},
                     .remarks = campaign_remarks});
    campaign.require_subcommand(0, 1);
    if (!needs_options(campaign)) return;
    CampaignRequest& request = request_.campaign;
    const auto nothing = [](CLI::App&) {};
    const auto selections = [&](CLI::App& command) {
        command.add_option("ID", request.selections, "Jobs or tasks: 3, 5-8, 4.17, last, all")->required();
    };

    add_verb(campaign, "init", "Make a campaign in a folder",
             {.examples = {"plimsoll campaign init", "plimsoll campaign init runs --durability full"},
              .remarks = {}},
             [&](CLI::App& command) {
                 command.add_option("FOLDER", request.init_folder,
                                    "Where to make it (default the working folder)");
                 OptionBinder bind(command, table_, own_group);
                 bind("durability", request.init.durability,
                      "What a power failure may undo: 'normal' the last moments, 'full' nothing");
                 flag(command, "--any-file-system", request.init.any_file_system,
                      "Allow a network file system, where a database may be damaged");
             });
    add_verb(campaign, "submit", "Add a task, or an array of tasks",
             {.examples = {"plimsoll campaign submit --array 1..100 -- ./app --case {index}",
                           "plimsoll campaign submit --each-line cases.txt --cpus 4 --time 10min --retries 2 "
                           "-- ./app {line}"},
              .remarks =
                  "The program's command line stands behind --; no shell sees it. In it, and in file names,\n"
                  "{index} stands for the array's number, {line} for a line, {name} for a member of a JSON\n"
                  "entry, {job}, {task} and {attempt} for numbers, and {{ for a brace.\n"
                  "\n"
                  "A running task that submits others is their parent; see 'plimsoll campaign tree'.\n",
              .behind = "-- COMMAND [ARGUMENT...]"},
             [&](CLI::App& command) { add_submit(command); });
    add_verb(campaign, "graph", "Add jobs that come after each other, from a file",
             {.examples = {"plimsoll campaign graph pipeline.toml",
                           "plimsoll campaign graph pipeline.json --dry-run"},
              .remarks = "FILE holds jobs in TOML ([[job]] name = \"solve\" command = [\"./solve\"] after = "
                         "[\"mesh\"]) or\n"
                         "in JSON ({\"job\": [{\"name\": ...}]}); keys are the long options of submit.\n"},
             [&](CLI::App& command) {
                 command.add_option("FILE", request.graph, "A file of jobs, TOML or JSON")->required();
                 flag(command, "--dry-run", request.dry_run, "Print the jobs, and submit none");
             });
    add_verb(
        campaign, "ls", "List jobs, the newest first",
        {.examples = {"plimsoll campaign ls", "plimsoll campaign ls --tag case=7 --json"}, .remarks = {}},
        [&](CLI::App& command) {
            OptionBinder bind(command, table_, own_group);
            bind("limit", request.limit, "Most jobs to list", Between{1, 10'000});
            one(command, "--tag", request.tag, "TAG", "Only jobs with this tag (default all)");
        });
    add_verb(campaign, "show", "Show a job with its tasks and their attempts",
             {.examples = {"plimsoll campaign show last", "plimsoll campaign show 3 --state exhausted"},
              .remarks = {}},
             [&](CLI::App& command) {
                 selections(command);
                 OptionBinder bind(command, table_, own_group);
                 bind("limit", request.limit, "Most tasks to show", Between{1, 10'000});
                 one(command, "--state", request.state, "STATE", "Only tasks in this state (default all)");
             });
    add_verb(
        campaign, "status", "Print one word for each job: what it is doing, or how it ended",
        {.examples = {"plimsoll campaign status 3", "plimsoll campaign status last --json"}, .remarks = {}},
        selections);
    add_verb(campaign, "tree", "Show which job comes after which, and which task submitted it",
             {.examples = {"plimsoll campaign tree", "plimsoll campaign tree --json"}, .remarks = {}},
             [&](CLI::App& command) {
                 OptionBinder bind(command, table_, own_group);
                 bind("limit", request.limit, "Most jobs to show, the newest", Between{1, 10'000});
             });
    add_verb(campaign, "wait", "Wait until jobs have ended",
             {.examples = {"plimsoll campaign wait last", "plimsoll campaign wait all --timeout 1h"},
              .remarks = "Exit status: 0 all tasks succeeded, 1 some did not, or the time was over\n"},
             [&](CLI::App& command) {
                 selections(command);
                 one(command, "--timeout", request.timeout, "TIME",
                     "Wait no longer, such as 10min (default no limit)");
             });
    add_verb(campaign, "cancel", "Cancel jobs or tasks, and stop those that run",
             {.examples = {"plimsoll campaign cancel 3", "plimsoll campaign cancel 4.10-19"}, .remarks = {}},
             selections);
    add_verb(campaign, "retry", "Submit again what failed, with what was skipped because of it",
             {.examples = {"plimsoll campaign retry last", "plimsoll campaign retry 3,5-8"}, .remarks = {}},
             selections);
    add_verb(campaign, "hold", "Keep tasks from starting",
             {.examples = {"plimsoll campaign hold 3", "plimsoll campaign hold 4.10-19"}, .remarks = {}},
             selections);
    add_verb(campaign, "release", "Let held tasks start",
             {.examples = {"plimsoll campaign release 3", "plimsoll campaign release all"}, .remarks = {}},
             selections);
    const auto output_options = [&](CLI::App& command) {
        selections(command);
        OptionBinder bind(command, table_, own_group);
        bind("channel", request.channel, "What the tasks wrote where");
    };
    add_verb(campaign, "cat", "Print what tasks wrote, in the order of their ids",
             {.examples = {"plimsoll campaign cat last", "plimsoll campaign cat 4.17 --channel err"},
              .remarks = {}},
             [&](CLI::App& command) {
                 output_options(command);
                 flag(command, "--all-attempts", request.all_attempts,
                      "Print each attempt, not only the last");
             });
    add_verb(campaign, "tail", "Follow what one task writes, until it ends",
             {.examples = {"plimsoll campaign tail 4.17", "plimsoll campaign tail last"}, .remarks = {}},
             output_options);
    add_verb(campaign, "explain", "Say why tasks do not run, or how they ended",
             {.examples = {"plimsoll campaign explain 4.17", "plimsoll campaign explain last --json"},
              .remarks = {}},
             selections);
    add_verb(campaign, "top", "Watch the campaign: jobs, workers, rates",
             {.examples = {"plimsoll campaign top", "plimsoll campaign top --once"},
              .remarks = "Keys: q ends it.\n"},
             [&](CLI::App& command) { flag(command, "--once", request.once, "Print one picture, and end"); });
    add_verb(campaign, "export", "Write what happened: attempts or events, for others' tools",
             {.examples = {"plimsoll campaign export -o attempts.csv --format csv",
                           "plimsoll campaign export --format ro-crate -o ro-crate-metadata.json"},
              .remarks =
                  "jsonl: one event each; csv: one attempt each; ro-crate: Process Run Crate metadata; swf:\n"
                  "the Standard Workload Format of batch systems' traces\n"},
             [&](CLI::App& command) {
                 OptionBinder bind(command, table_, own_group);
                 bind("format", request.format, "What to write");
                 one(command, "-o,--output", request.output, "FILE",
                     "File to write; - for standard output (default -)");
             });
    add_verb(campaign, "worker", "Run the campaign's tasks on this machine",
             {.examples = {"plimsoll campaign worker --until-done",
                           "plimsoll campaign worker --cpus 8 --time 2h --detach"},
              .remarks =
                  "Ctrl-C once: it takes no more tasks and leaves when those that run have ended; twice: it\n"
                  "stops them, and others run them again.\n"},
             [&](CLI::App& command) { add_worker(command); });
    add_verb(
        campaign, "server", "Start, stop or look at the campaign's server",
        {.examples = {"plimsoll campaign server start", "plimsoll campaign server stop --with-workers"},
         .remarks =
             "start: in the background; run: in the foreground; stop: workers keep their tasks running\n"
             "and wait for the next one; status: where it listens\n"},
        [&](CLI::App& command) {
            CampaignServerRequest& server = request.server;
            command.add_option("ACTION", server.action, "start, run, stop or status")->required();
            one(command, "--bind", server.bind, "ADDRESS",
                "Where to listen; others than 127.0.0.1 reach the network (default 127.0.0.1)");
            OptionBinder bind(command, table_, own_group);
            bind("port", server.port, "Port to listen on; 0 for any that is free", Between{0, most_port});
            one(command, "--lease", server.lease, "TIME",
                "Silence after which a worker has lost its tasks (default 30s)");
            flag(command, "--with-workers", server.with_workers,
                 "With stop: workers end as well, after what they run");
        });
    add_verb(campaign, "doctor", "Check folder, database, server and workers",
             {.examples = {"plimsoll campaign doctor", "plimsoll campaign doctor --json"},
              .remarks = "Exit status: 0 all is well, 1 something is not\n"},
             nothing);
}

void Flags::add_submit(CLI::App& command) {
    SubmitRequest& submit = request_.campaign.submit;
    one(command, "--name", submit.name, "NAME", "Name of the job (default its command)");
    several(command, "--tag", submit.tags, "TAG",
            "A tag such as case=7, for ls; may be repeated (default none)");
    one(command, "--array", submit.array, "RANGE",
        "A task for each number: 1..100, 0..90+10, 1..64*2 or 1,2,5 (default one task)");
    one(command, "--each-line", submit.each_line, "FILE",
        "A task for each line of a file; - for standard input (default none)");
    one(command, "--from-json", submit.from_json, "FILE",
        "A task for each object of a JSON array or of JSON lines (default none)");
    OptionBinder bind(command, table_, own_group);
    bind("cpus", submit.cpus, "Processors that one task takes", Between{0.0, most_amount});
    bind("gpus", submit.gpus, "GPUs that one task takes; parts such as 0.25 share one",
         Between{0.0, most_amount});
    one(command, "--mem", submit.memory, "BYTES",
        "Memory that one task takes, such as 4GB (default none asked for)");
    several(command, "--resource", submit.resources, "ASSIGNMENT",
            "NAME=AMOUNT of what workers offer; may be repeated (default none)");
    one(command, "--time", submit.time, "TIME", "Limit of one attempt, such as 10min (default none)");
    one(command, "--min-time", submit.min_time, "TIME",
        "Only workers that stay so long get a task (default none)");
    bind("retries", submit.retries, "New tries after a failure or a time-out", Between{0, most_tries});
    one(command, "--retry-codes", submit.retry_codes, "CODES",
        "Exit codes that are worth a new try, such as 1,75 (default all)");
    one(command, "--backoff", submit.backoff, "TIME",
        "Wait before the first new try; doubles with each (default 1s)");
    bind("crash-limit", submit.crash_limit, "Workers that may be lost under a task", Between{0, most_tries});
    bind("priority", submit.priority, "Higher goes first", Between{-most_tries, most_tries});
    several(command, "--after", submit.after, "ID",
            "Jobs that must have ended before; may be repeated (default none)");
    bind("rule", submit.rule, "How those must have ended: all well, any way, or one not well");
    several(command, "--env", submit.environment, "ASSIGNMENT",
            "NAME=VALUE for the task, with placeholders; may be repeated (default none)");
    one(command, "--cwd", submit.folder, "FOLDER",
        "Folder that the task works in, with placeholders (default this one)");
    one(command, "--stdin", submit.input, "FILE",
        "File that the task reads, with placeholders (default nothing)");
    one(command, "--stdout", submit.output, "FILE",
        "File for its output, with placeholders (default the campaign's, see cat)");
    one(command, "--stderr", submit.errors, "FILE",
        "File for its errors, with placeholders (default the campaign's, see cat)");
    one(command, "--before", submit.before, "PROGRAM",
        "Run before each attempt; failing, it fails the attempt (default none)");
    one(command, "--afterwards", submit.afterwards, "PROGRAM",
        "Run after success; failing, it fails the attempt (default none)");
    one(command, "--on-failure", submit.on_failure, "PROGRAM",
        "Run after an attempt that failed (default none)");
    flag(command, "--hold", submit.hold, "Start nothing before 'campaign release'");
    flag(command, "--wait", submit.wait, "Wait until the job has ended, as 'campaign wait' does");
}

void Flags::add_worker(CLI::App& command) {
    CampaignWorkerRequest& worker = request_.campaign.worker;
    one(command, "--name", worker.name, "NAME", "Name of the worker (default the machine's)");
    OptionBinder bind(command, table_, own_group);
    bind("cpus", worker.cpus, "Processors to share among tasks; 0 for all of this machine",
         Between{0.0, most_amount});
    bind("gpus", worker.gpus, "GPUs to share among tasks", Between{0.0, most_amount});
    one(command, "--mem", worker.memory, "BYTES",
        "Memory to share among tasks (default all of this machine's)");
    several(command, "--resource", worker.resources, "ASSIGNMENT",
            "NAME=AMOUNT to share among tasks; may be repeated (default none)");
    one(command, "--time", worker.time, "TIME", "Leave after this time, such as 2h (default stay)");
    one(command, "--idle", worker.idle, "TIME", "Leave when idle for so long (default stay)");
    one(command, "--patience", worker.patience, "TIME",
        "Wait so long for a server that is away (default 10min)");
    bind("launcher", worker.launcher, "How tasks are run: as processes here, or not at all");
    flag(command, "--until-done", worker.until_done, "Leave when the campaign has nothing left to run");
    flag(command, "--detach", worker.detach, "Run in the background, with its log in the campaign's folder");
}

}  // namespace plimsoll::app
