#pragma once

#include <vector>

#include "answer.hpp"
#include "cell.hpp"
#include "measuring.hpp"

namespace plimsoll::model::accuracy {

/// The limit for the published functions of two parameters, with normal noise.
///
/// They are c0 + c1 t c2 u or c0 + c1 t + c2 u, as often one as the other, with coefficients uniform in [0,
/// 1000] and t, u from 20 exponents times 3 powers of logarithms. Sums are drawn again until each term is at
/// least 1 % of the value at both corners, (4, 10) and (64, 50); products leave out eight slow classes of the
/// first parameter and five of the second. That is what the 10,000 functions show, among them the frequencies
/// of the classes in sums.
///
/// Forms are weighed by least squares first. The coefficients of those that remain are drawn from the normal
/// distribution that fits them, cut off at the limits one coefficient at a time, and weighed by the exact
/// likelihood (importance sampling); draws are evenly spread, and the same on any number of threads.
std::vector<Answer> limit_of_two(const Cell& cell, const Runs& runs, int threads);

}  // namespace plimsoll::model::accuracy
