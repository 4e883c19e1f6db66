#pragma once

#include <string>
#include <vector>

#include "app/campaign/request.hpp"
#include "plimsoll/core/progress.hpp"

namespace plimsoll::app {

/// What a verb of `plimsoll campaign` has to say. The server answers with documents, so they stay JSON here.
struct CampaignAnswer {
    std::string document;  ///< with --json: one JSON value, ended by a newline
    std::string text;      ///< for people
    std::string lines;     ///< with --quiet
    std::vector<std::string> notes;
    std::string step;  ///< what is now so, and the likely next command
    int status = 0;

    [[nodiscard]] const std::string& json() const { return document; }
};

/// Does what one command line of `plimsoll campaign` asks for.
[[nodiscard]] CampaignAnswer run_campaign(const CampaignRequest& request, Progress& progress);

}  // namespace plimsoll::app
