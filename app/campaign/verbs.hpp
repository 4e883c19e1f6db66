#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/campaign/campaign.hpp"
#include "plimsoll/campaign/client.hpp"
#include "plimsoll/campaign/selection.hpp"

namespace plimsoll::app {

using nlohmann::json;

// The verbs; each file beside this one has one group of them.

/// Connects to the campaign's server. Where none runs on this machine or any other, one is started.
[[nodiscard]] std::unique_ptr<campaign::Client> connect_campaign(const campaign::Folder& folder,
                                                                 CampaignAnswer& answer);

/// A document of ours: its schema first.
[[nodiscard]] std::string document_of(const char* schema, const json& content);

/// The jobs that the words name, each with its range of tasks.
struct Choice {
    std::int64_t job = 0;
    std::int64_t first = 0;
    std::int64_t last = -1;  ///< excluded; -1: to the end
};
[[nodiscard]] std::vector<Choice> choose_tasks(campaign::Client& client,
                                               const std::vector<std::string>& words);

/// Visits all jobs, the newest first, until the visitor answers that it has seen enough.
enum class Visited { enough, go_on };
void each_job(campaign::Client& client, const std::function<Visited(const json&)>& visit);

/// The seconds that a flag's text says, or what holds where it is empty. Throws a usage error.
[[nodiscard]] double seconds_of(const char* flag, const std::string& text, double otherwise);
/// Name and value of a flag's NAME=VALUE. Throws a usage error.
[[nodiscard]] std::pair<std::string, std::string> assignment(const char* flag, const std::string& text);
/// Sets what --mem and --resource say. Throws a usage error.
void set_amounts(campaign::Resources& resources, const std::string& memory,
                 const std::vector<std::string>& assignments);

/// Spec of a submission from flags.
[[nodiscard]] campaign::JobSpec spec_of(const SubmitRequest& request);
/// Throws a usage error that names a text which is not UTF-8: messages are JSON, and would change it.
void refuse_other_bytes(const campaign::JobSpec& spec);
/// A task of this campaign that submits is the parent of what it submits.
void set_parent(campaign::JobSpec& spec, const campaign::Folder& folder);
/// As the server wants it: `spec` and `lines`.
[[nodiscard]] json submission_of(const campaign::JobSpec& spec);

[[nodiscard]] CampaignAnswer submit_jobs(const CampaignRequest& request, Progress& progress);
[[nodiscard]] CampaignAnswer submit_graph(const CampaignRequest& request, Progress& progress);
[[nodiscard]] CampaignAnswer wait_for(campaign::Client& client, const std::vector<std::int64_t>& jobs,
                                      const std::string& timeout, Progress& progress);
[[nodiscard]] CampaignAnswer run_server(const CampaignRequest& request);
[[nodiscard]] CampaignAnswer run_worker(const CampaignRequest& request);
[[nodiscard]] CampaignAnswer print_output(const CampaignRequest& request);
[[nodiscard]] CampaignAnswer follow_output(const CampaignRequest& request, Progress& progress);
[[nodiscard]] CampaignAnswer export_campaign(const CampaignRequest& request);
[[nodiscard]] CampaignAnswer watch_campaign(const CampaignRequest& request, Progress& progress);
[[nodiscard]] CampaignAnswer examine_campaign(const CampaignRequest& request);

/// A job's name, else its command, on one line.
[[nodiscard]] std::string command_text(const json& job, std::size_t widest = 44);

/// "3 succeeded, 1 exhausted".
[[nodiscard]] std::string counts_text(const json& counts);
/// "2 s", "3 min", "1.5 h".
[[nodiscard]] std::string time_text(double seconds);

}  // namespace plimsoll::app
