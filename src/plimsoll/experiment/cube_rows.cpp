#include "plimsoll/experiment/detail/cube_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/experiment/detail/inflate.hpp"

namespace plimsoll::experiment::detail {

namespace {

constexpr std::string_view index_mark = "CUBEX.INDEX";
constexpr std::string_view data_mark = "CUBEX.DATA";
constexpr std::string_view compressed_mark = "ZCUBEX.DATA";

// Behind the mark of an index: the number 1, which tells the order of bytes, a version, and how nodes are
// listed.
constexpr std::size_t one_at = index_mark.size();
constexpr std::size_t listing_at = one_at + 4 + 2;
constexpr std::size_t count_at = listing_at + 1;
constexpr std::size_t nodes_at = count_at + 4;
constexpr char listed_nodes = 1;  // a count and the nodes that have a row, by their positions
constexpr char all_nodes = 3;     // each node has a row

/// An unsigned number at a place that is inside the text.
template <class Number>
Number number_at(std::string_view text, std::size_t at, ByteOrder order) {
    std::array<char, sizeof(Number)> bytes{};
    std::memcpy(bytes.data(), text.data() + at, sizeof(Number));
    if (order == ByteOrder::swapped) std::ranges::reverse(bytes);
    return std::bit_cast<Number>(bytes);
}

}  // namespace

CubeRows::CubeRows(const CubeAnchor& anchor, const CubeMetric& metric, const CubeValueType& type,
                   CubeMetricFiles files, const std::string& file)
    : anchor_(&anchor),
      metric_(&metric),
      type_(&type),
      file_(&file),
      row_size_(anchor.location_count * type.size),
      row_of_(anchor.tree.size(), no_row) {
    read_index(files.index);
    if (files.data.starts_with(compressed_mark)) {
        read_compressed(files.data);
    } else if (files.data.starts_with(data_mark)) {
        read_plain(std::move(files.data));
    } else {
        fail("data", fmt::format("begins with neither {} nor {}", data_mark, compressed_mark));
    }
}

void CubeRows::fail(const char* suffix, const std::string& what) const {
    throw Error(ErrorKind::input, Place{.file = *file_},
                fmt::format("{}.{} of metric '{}' {}", metric_->id, suffix, metric_->name, what),
                "copy the profile again, or leave it out");
}

void CubeRows::read_index(std::string_view index) {
    if (!index.starts_with(index_mark) || index.size() < count_at) {
        fail("index", fmt::format("does not begin with {} and a header", index_mark));
    }
    if (number_at<std::uint32_t>(index, one_at, ByteOrder::native) != 1) order_ = ByteOrder::swapped;
    if (number_at<std::uint32_t>(index, one_at, order_) != 1) {
        fail("index", "does not tell its order of bytes");
    }

    const CubeCallTree& tree = anchor_->tree;
    const auto node_at = [&](std::size_t position) {
        return metric_->storage == CubeStorage::inclusive ? tree.by_parent[position]
                                                          : static_cast<std::uint32_t>(position);
    };
    if (index[listing_at] == all_nodes) {
        row_count_ = tree.size();
        for (std::uint32_t row = 0; row < row_count_; ++row) row_of_[node_at(row)] = row;
        return;
    }
    if (index[listing_at] != listed_nodes) {
        fail("index",
             fmt::format("lists its nodes in an unknown way ({})", static_cast<int>(index[listing_at])));
    }
    if (index.size() < nodes_at) fail("index", "ends before its number of nodes");
    row_count_ = number_at<std::uint32_t>(index, count_at, order_);
    if (index.size() - nodes_at != row_count_ * sizeof(std::uint32_t)) {
        fail("index", fmt::format("has {} for {}", counted(index.size() - nodes_at, "byte"),
                                  counted(row_count_, "node")));
    }
    for (std::uint32_t row = 0; row < row_count_; ++row) {
        const auto position = number_at<std::uint32_t>(index, nodes_at + row * sizeof(std::uint32_t), order_);
        if (position >= tree.size()) {
            fail("index",
                 fmt::format("lists node {} of a call tree of {}", position, counted(tree.size(), "node")));
        }
        std::uint32_t& place = row_of_[node_at(position)];
        if (place != no_row) fail("index", fmt::format("lists node {} twice", position));
        place = row;
    }
}

void CubeRows::read_plain(std::string data) {
    const std::size_t size = data.size() - data_mark.size();
    if (size % row_size_ != 0 || size / row_size_ != row_count_) {
        fail("data", fmt::format("has {} for {} of {}", counted(size, "byte"), counted(row_count_, "row"),
                                 counted(row_size_, "byte")));
    }
    rows_ = std::move(data);
    begin_ = data_mark.size();
}

void CubeRows::read_compressed(std::string_view data) {
    data.remove_prefix(compressed_mark.size());
    constexpr std::size_t number = sizeof(std::uint64_t);
    // An entry of the table: where a row begins, where it begins compressed, how many bytes it has
    // compressed.
    constexpr std::size_t entry_size = 3 * number;
    if (data.size() < number || (data.size() - number) / entry_size < row_count_ ||
        number_at<std::uint64_t>(data, 0, order_) != row_count_) {
        fail("data", fmt::format("has no table for {}", counted(row_count_, "row")));
    }
    const std::string_view table = data.substr(number, row_count_ * entry_size);
    const std::string_view streams = data.substr(number + table.size());
    if (row_count_ > Inflater::largest_ratio * streams.size() / row_size_) {
        fail("data", fmt::format("has {} for {} of {}, which is too little even where they are compressed",
                                 counted(streams.size(), "byte"), counted(row_count_, "row"),
                                 counted(row_size_, "byte")));
    }
    rows_.assign(row_count_ * row_size_, '\0');  // rows that were never written are zero
    Inflater inflater;
    for (std::size_t entry = 0; entry < row_count_; ++entry) {
        const auto begin = number_at<std::uint64_t>(table, entry * entry_size, order_);
        const auto stream_begin = number_at<std::uint64_t>(table, entry * entry_size + number, order_);
        const auto stream_size = number_at<std::uint64_t>(table, entry * entry_size + 2 * number, order_);
        if (stream_size == 0) continue;
        if (begin % row_size_ != 0 || begin / row_size_ >= row_count_ || stream_begin > streams.size() ||
            stream_size > streams.size() - stream_begin) {
            fail("data", fmt::format("has an entry {} that is out of range", entry));
        }
        const std::string_view stream = streams.substr(stream_begin, stream_size);
        if (!inflater.fill(stream, {rows_.data() + begin, row_size_})) {
            fail("data", fmt::format("has a row that does not decompress to {} (entry {})",
                                     counted(row_size_, "byte"), entry));
        }
    }
}

void CubeRows::own_values(std::uint32_t node, std::span<double> values) {
    below_.clear();
    if (metric_->storage == CubeStorage::inclusive) {
        for (const std::uint32_t child : anchor_->tree.children(node)) {
            if (has(child)) below_.push_back(row(child));
        }
    }
    type_->own_values(row(node), below_, order_, values);
}

}  // namespace plimsoll::experiment::detail
