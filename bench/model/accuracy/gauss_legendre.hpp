#pragma once

#include <cstddef>
#include <vector>

namespace plimsoll::model::accuracy {

/// Nodes and weights of Gauss and Legendre on [-1, 1].
struct Rule {
    std::vector<double> node;
    std::vector<double> weight;

    explicit Rule(std::size_t n);
};

}  // namespace plimsoll::model::accuracy
