#pragma once

#include <string>
#include <vector>

#include "plimsoll/campaign/folder.hpp"
#include "plimsoll/campaign/job_spec.hpp"
#include "plimsoll/core/options.hpp"

namespace plimsoll::app {

/// What a worker does with its tasks.
enum class LauncherChoice { local, null };
[[nodiscard]] constexpr std::array<EnumName<LauncherChoice>, 2> enum_names(LauncherChoice) {
    return {{{LauncherChoice::local, "local"}, {LauncherChoice::null, "null"}}};
}

/// What of a task's output is shown.
enum class OutputChoice { both, out, err };
[[nodiscard]] constexpr std::array<EnumName<OutputChoice>, 3> enum_names(OutputChoice) {
    return {{{OutputChoice::both, "both"}, {OutputChoice::out, "out"}, {OutputChoice::err, "err"}}};
}

/// What `export` writes.
enum class ExportChoice { json_lines, csv, ro_crate, swf };
[[nodiscard]] constexpr std::array<EnumName<ExportChoice>, 4> enum_names(ExportChoice) {
    return {{{ExportChoice::json_lines, "jsonl"},
             {ExportChoice::csv, "csv"},
             {ExportChoice::ro_crate, "ro-crate"},
             {ExportChoice::swf, "swf"}}};
}

/// `campaign submit`: flags as they were written.
struct SubmitRequest {
    std::vector<std::string> command;  ///< behind `--`
    std::string name;
    std::vector<std::string> tags;
    std::string array;      ///< "1..100", "0..90+10", "1,2,5"
    std::string each_line;  ///< file whose lines are the entries
    std::string from_json;  ///< file with an array of objects, or one on each line
    double cpus = 1.0;
    double gpus = 0.0;
    std::string memory;  ///< "4GB"
    std::vector<std::string> resources;
    std::string time;
    std::string min_time;
    std::string backoff;
    int retries = 0;
    std::string retry_codes;
    int crash_limit = 5;
    int priority = 0;
    std::vector<std::string> after;
    campaign::AfterRule rule = campaign::AfterRule::ok;
    std::vector<std::string> environment;
    std::string folder;
    std::string input;
    std::string output;
    std::string errors;
    std::string before;
    std::string afterwards;
    std::string on_failure;
    bool hold = false;
    bool wait = false;
};

struct CampaignWorkerRequest {
    std::string name;
    double cpus = 0.0;  ///< 0: all of this machine's
    double gpus = 0.0;
    std::string memory;
    std::vector<std::string> resources;
    std::string time;
    std::string idle;
    std::string patience;
    LauncherChoice launcher = LauncherChoice::local;
    bool until_done = false;
    bool detach = false;
};

struct CampaignServerRequest {
    std::string action;  ///< start, run, stop, status
    std::string bind = "127.0.0.1";
    int port = 0;
    std::string lease;
    bool with_workers = false;
};

/// One command line of `plimsoll campaign`.
struct CampaignRequest {
    std::string verb;
    std::string folder;                   ///< --campaign; empty: the nearest one above
    std::vector<std::string> selections;  ///< of jobs and tasks
    campaign::FolderOptions init;
    std::string init_folder = ".";
    SubmitRequest submit;
    std::string graph;
    CampaignWorkerRequest worker;
    CampaignServerRequest server;
    int limit = 20;
    std::string tag;
    std::string state;
    OutputChoice channel = OutputChoice::both;
    bool all_attempts = false;
    bool once = false;
    bool json = false;   ///< the answer's document is printed, else its text
    bool quiet = false;  ///< or its lines; a worker's log is a note
    std::string timeout;
    ExportChoice format = ExportChoice::json_lines;
    std::string output = "-";
    bool dry_run = false;
};

}  // namespace plimsoll::app
