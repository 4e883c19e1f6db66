#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plimsoll/core/vectorised.hpp"
#include "plimsoll/model/detail/posterior/axis_functions.hpp"

namespace plimsoll::model::detail {

/// A place in the columns of a family of forms that one of several functions of a parameter takes.
struct Slot {
    const AxisTable* table = nullptr;
    std::vector<FunctionId> functions;
    std::vector<double> log_prior;  ///< of each function, given that the slot is used; [functions]
    /// Part of the misfit that rules a form out that each function brings with it, rising; [functions], or
    /// empty where it is not known. Infinite for those that are ruled out, and where free exponents start
    /// from.
    std::vector<double> misfits;
};

/// Sums over the points of products of slot functions, for all choices of functions at once.
///
/// The points form a tree, one level a slot, in which points with the same leading coordinates share their
/// path. The sums are contracted from the leaves up, so that on a full grid a table of all moments costs
/// hardly more than its size; on scattered points it costs its size times the points.
class MomentTree {
  public:
    /// A tree with one level for each of `axes`; `points` is [values x parameters], row-major.
    MomentTree(std::span<const double> points, std::size_t parameters, std::span<const std::size_t> axes);

    /// Takes the functions of these slots, one for each level, for the sums to come.
    void choose(std::span<const Slot> slots);

    /// sum_i weight_i prod_s g_s(x_i) for all choices of g_s among 1, the K functions of slot s, and their
    /// squares, [1 + 2 K of the first slot, ..., 1 + 2 K of the last], row-major.
    void moments(std::span<const double> weights, std::vector<double>& table);
    /// As above without the squares, [1 + K, ...].
    void sums(std::span<const double> weights, std::vector<double>& table);
    /// max_i weight_i prod_s g_s(x_i), [1 + K, ...]; the weights are not negative.
    void maxima(std::span<const double> weights, std::vector<double>& table);

  private:
    struct Level {
        std::size_t parents = 0;
        std::vector<std::uint32_t> parent;  ///< of each node
        std::vector<std::uint32_t> sample;  ///< a point below each node
        std::size_t functions = 0;
        std::vector<double> states;  ///< [nodes x (1 + 2 functions)]: 1, values, their squares
    };

    template <class Combine>
    PLIMSOLL_VECTORISED void contract(std::span<const double> weights, std::size_t copies,
                                      std::vector<double>& table, Combine combine);

    std::vector<Level> levels_;
    std::vector<std::uint32_t> leaf_;  ///< of each point
    std::vector<double> scratch_;
};

}  // namespace plimsoll::model::detail
