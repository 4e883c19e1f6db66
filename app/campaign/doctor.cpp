// Is the campaign well?
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "app/campaign/verbs.hpp"
#include "app/render/table.hpp"
#include "plimsoll/campaign/store.hpp"
#include "plimsoll/core/byte_size.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/launch/control_group.hpp"

namespace plimsoll::app {

namespace {

struct Finding {
    std::string what;
    bool well = true;
    std::string text;
    std::string advice;
};

/// Does something that throws where it is not well.
template <class Work>
Finding examine(const std::string& what, const Work& work) {
    try {
        return {.what = what, .text = work()};
    } catch (const Error& error) {
        return {.what = what, .well = false, .text = error.what(), .advice = error.hint()};
    }
}

Finding free_space(const campaign::Folder& folder) {
    constexpr double least = 100e6;
    struct statvfs disk {};
    if (::statvfs(folder.path().c_str(), &disk) != 0)
        return {.what = "disk", .well = false, .text = "cannot be asked"};
    const double bytes = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
    return {.what = "disk",
            .well = bytes > least,
            .text = byte_size_text(bytes) + " free",
            .advice = bytes > least ? "" : "free some space"};
}

Finding open_files() {
    constexpr rlim_t least = 256;
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return {.what = "open files",
            .well = limit.rlim_max >= least,
            .text = fmt::format("{} allowed", limit.rlim_max),
            .advice = limit.rlim_max >= least ? "" : "raise 'ulimit -n': each running task takes three"};
}

Finding memory_limits() {
    const launch::ControlGroups groups;
    return {.what = "task memory",
            .text = groups.obstacle().empty() ? "kept to what they ask for, by control groups"
                                              : fmt::format("not limited: {}", groups.obstacle())};
}

}  // namespace

CampaignAnswer examine_campaign(const CampaignRequest& request) {
    const campaign::Folder folder = campaign::Folder::find(request.folder);
    std::vector<Finding> findings;
    findings.push_back({.what = "folder", .text = folder.path()});
    if (const auto network = campaign::Folder::network_file_system(folder.path())) {
        findings.push_back(
            {.what = "file system",
             .well = false,
             .text = *network + ", of a network, where a database may be damaged",
             .advice = "keep the campaign on a local disk of the machine that runs the server"});
    } else {
        findings.push_back({.what = "file system", .text = "local"});
    }
    findings.push_back(examine("secret", [&] {
        (void)folder.secret();
        return std::string("readable by you alone");
    }));
    const bool trusted = findings.back().well;
    findings.push_back(free_space(folder));
    findings.push_back(open_files());
    findings.push_back(memory_limits());
    const bool served = campaign::is_served(folder);
    const auto address = folder.address();
    if (served) {
        findings.push_back({.what = "server",
                            .text = fmt::format("process {} on {} port {}", address->process, address->host,
                                                address->port)});
        campaign::Client client(folder);
        const json totals = client.ask({{"verb", "totals"}});
        const auto workers = totals.at("workers").get<std::int64_t>();
        const auto ready = totals.at("ready").get<std::int64_t>();
        findings.push_back(
            {.what = "workers",
             .well = workers > 0 || ready == 0,
             .text = fmt::format("{}", workers),
             .advice = workers > 0 || ready == 0
                           ? ""
                           : fmt::format("none for {}; next: plimsoll campaign worker",
                                         counted(static_cast<std::size_t>(ready), "ready task"))});
    } else if (!trusted) {
        findings.push_back({.what = "server",
                            .well = false,
                            .text = "not asked, without the secret",
                            .advice = "mend the secret first"});
    } else {
        findings.push_back(
            {.what = "server",
             .text = address ? "none; the last one was killed, the next one goes on" : "none runs"});
        findings.push_back(examine("database", [&] {
            campaign::check_sqlite_store(folder.database());
            return std::string("whole");
        }));
    }
    CampaignAnswer answer;
    Table table({{"what"}, {"well"}, {"found"}});
    json rows = json::array();
    for (const Finding& finding : findings) {
        table.add({finding.what, finding.well ? "yes" : "no", finding.text});
        rows.push_back({{"what", finding.what},
                        {"well", finding.well},
                        {"found", finding.text},
                        {"advice", finding.advice}});
        if (!finding.well) {
            answer.status = 1;
            answer.notes.push_back(fmt::format("{}: {}", finding.what, finding.advice));
        }
    }
    answer.text = table.text(Style(false));
    answer.lines = answer.status == 0 ? "" : answer.text;
    answer.document =
        document_of("plimsoll.campaign-doctor/1", {{"well", answer.status == 0}, {"findings", rows}});
    return answer;
}

}  // namespace plimsoll::app
