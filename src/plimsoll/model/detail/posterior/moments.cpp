#include "plimsoll/model/detail/posterior/moments.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "plimsoll/core/error.hpp"

namespace plimsoll::model::detail {

MomentTree::MomentTree(std::span<const double> points, std::size_t parameters,
                       std::span<const std::size_t> axes)
    : leaf_(points.size() / parameters, 0) {
    std::size_t parents = 1;
    for (const std::size_t axis : axes) {
        Level level;
        level.parents = parents;
        std::map<std::pair<std::uint32_t, double>, std::uint32_t> nodes;
        for (std::size_t i = 0; i < leaf_.size(); ++i) {
            const auto [node, is_new] = nodes.try_emplace({leaf_[i], points[i * parameters + axis]},
                                                          static_cast<std::uint32_t>(level.parent.size()));
            if (is_new) {
                level.parent.push_back(leaf_[i]);
                level.sample.push_back(static_cast<std::uint32_t>(i));
            }
            leaf_[i] = node->second;
        }
        parents = level.parent.size();
        levels_.push_back(std::move(level));
    }
}

void MomentTree::choose(std::span<const Slot> slots) {
    PLIMSOLL_EXPECT(slots.size() == levels_.size());
    for (std::size_t l = 0; l < levels_.size(); ++l) {
        Level& level = levels_[l];
        const Slot& slot = slots[l];
        level.functions = slot.functions.size();
        const std::size_t states = 1 + 2 * level.functions;
        level.states.resize(level.parent.size() * states);
        for (std::size_t node = 0; node < level.parent.size(); ++node) level.states[node * states] = 1.0;
        for (std::size_t f = 0; f < level.functions; ++f) {
            const std::span<const double> column = slot.table->column(slot.functions[f]);
            for (std::size_t node = 0; node < level.parent.size(); ++node) {
                const double value = column[level.sample[node]];
                level.states[node * states + 1 + f] = value;
                level.states[node * states + 1 + level.functions + f] = value * value;
            }
        }
    }
}

template <class Combine>
void MomentTree::contract(std::span<const double> weights, std::size_t copies, std::vector<double>& table,
                          Combine combine) {
    table.assign(levels_.empty() ? 1 : levels_.back().parent.size(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) table[leaf_[i]] = combine(table[leaf_[i]], weights[i]);
    std::size_t rest = 1;
    for (std::size_t l = levels_.size(); l-- > 0;) {
        const Level& level = levels_[l];
        const std::size_t stride = 1 + 2 * level.functions;
        const std::size_t states = 1 + copies * level.functions;
        scratch_.assign(level.parents * states * rest, 0.0);
        for (std::size_t node = 0; node < level.parent.size(); ++node) {
            const double* in = table.data() + node * rest;
            const double* state = level.states.data() + node * stride;
            double* out = scratch_.data() + level.parent[node] * states * rest;
            if (rest == 1) {
                const double value = *in;
                for (std::size_t s = 0; s < states; ++s) out[s] = combine(out[s], state[s] * value);
                continue;
            }
            for (std::size_t s = 0; s < states; ++s, out += rest) {
                const double factor = state[s];
                for (std::size_t r = 0; r < rest; ++r) out[r] = combine(out[r], factor * in[r]);
            }
        }
        table.swap(scratch_);
        rest *= states;
    }
}

void MomentTree::moments(std::span<const double> weights, std::vector<double>& table) {
    contract(weights, 2, table, [](double a, double b) { return a + b; });
}

void MomentTree::sums(std::span<const double> weights, std::vector<double>& table) {
    contract(weights, 1, table, [](double a, double b) { return a + b; });
}

void MomentTree::maxima(std::span<const double> weights, std::vector<double>& table) {
    contract(weights, 1, table, [](double a, double b) { return a < b ? b : a; });
}

}  // namespace plimsoll::model::detail
