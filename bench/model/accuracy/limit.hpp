#pragma once

#include <vector>

#include "answer.hpp"
#include "cell.hpp"
#include "measuring.hpp"

namespace plimsoll::model::accuracy {

/// What no method can do better on average: the exact posterior of who knows how the functions are drawn and
/// the law of the noise with its width. A value is the one with the most probability within 5 % of it, and
/// this probability is the Rao-Blackwellised share: its mean over functions is known better than by counting.
///
/// One parameter: c0 + c1 t, both coefficients uniform, t from the 42 classes; laws `independent` (uniform),
/// `gaussian`, and their compounding kin. The coefficients are integrated by quadrature, not drawn.
/// Two parameters: as `limit_of_two` says.
std::vector<Answer> limit(const Cell& cell, const Runs& runs, int threads);

/// Whether there is a limit to compute for what the cell draws.
bool has_limit(const Cell& cell);

}  // namespace plimsoll::model::accuracy
