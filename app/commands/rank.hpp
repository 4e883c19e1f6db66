#pragma once

#include <string>
#include <vector>

#include "app/commands/models.hpp"
#include "plimsoll/model/ranking.hpp"

namespace plimsoll::app {

struct RankRequest {
    ModelsRequest models;
    model::RankOptions rank;
};

/// The document `plimsoll.rank/1`.
struct RankReport {
    std::vector<std::string> parameters;
    model::RankBy by = model::RankBy::growth;
    double coverage = 0.9;
    std::vector<model::RegionRanking> rankings;  ///< one for each point asked for
    std::vector<std::string> notes;
};

/// Orders regions by models, or by models of measurements; without points at four times the largest values.
[[nodiscard]] RankReport rank(RankRequest request, Progress& progress);

}  // namespace plimsoll::app
