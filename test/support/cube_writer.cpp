#include "test/support/cube_writer.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace plimsoll::test {

namespace {

template <class Number>
std::string bytes_of(Number number, bool big_endian) {
    std::string bytes(sizeof(Number), '\0');
    std::memcpy(bytes.data(), &number, sizeof(Number));
    if (big_endian != (std::endian::native == std::endian::big)) std::ranges::reverse(bytes);
    return bytes;
}

std::string value_bytes(double value, const std::string& type, bool big_endian) {
    if (type == "UINT64") return bytes_of(static_cast<std::uint64_t>(value), big_endian);
    if (type == "INT64") return bytes_of(static_cast<std::int64_t>(value), big_endian);
    if (type == "UINT32") return bytes_of(static_cast<std::uint32_t>(value), big_endian);
    if (type == "INT32") return bytes_of(static_cast<std::int32_t>(value), big_endian);
    if (type == "UINT16") return bytes_of(static_cast<std::uint16_t>(value), big_endian);
    if (type == "INT16") return bytes_of(static_cast<std::int16_t>(value), big_endian);
    if (type == "UINT8") return bytes_of(static_cast<std::uint8_t>(value), big_endian);
    if (type == "INT8") return bytes_of(static_cast<std::int8_t>(value), big_endian);
    return bytes_of(value, big_endian);
}

std::vector<std::size_t> children_of(const CubeTestProfile& profile, int node) {
    std::vector<std::size_t> children;
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        if (profile.nodes[i].parent == node) children.push_back(i);
    }
    return children;
}

/// Values of a node and all below it that have values.
std::vector<double> inclusive_values(const CubeTestProfile& profile, const CubeTestMetric& metric,
                                     std::size_t node) {
    std::vector<double> sum = metric.values[node];
    sum.resize(profile.ranks * profile.threads);
    for (const std::size_t child : children_of(profile, static_cast<int>(node))) {
        const auto more = inclusive_values(profile, metric, child);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
    }
    return sum;
}

/// Numbers the children of a node, then goes into them one by one.
void number_children(const CubeTestProfile& profile, std::size_t node, std::vector<std::size_t>& order) {
    const auto children = children_of(profile, static_cast<int>(node));
    order.insert(order.end(), children.begin(), children.end());
    for (const std::size_t child : children) number_children(profile, child, order);
}

/// The nodes in the order in which a metric of this type counts them.
std::vector<std::size_t> node_order(const CubeTestProfile& profile, const CubeTestMetric& metric) {
    std::vector<std::size_t> order;
    if (metric.type == "INCLUSIVE") {
        for (const std::size_t root : children_of(profile, -1)) {
            order.push_back(root);
            number_children(profile, root, order);
        }
    } else {
        for (std::size_t i = 0; i < profile.nodes.size(); ++i) order.push_back(i);
    }
    return order;
}

std::string zlib_stream(const std::string& text) {
    std::string compressed(compressBound(text.size()), '\0');
    auto size = static_cast<uLongf>(compressed.size());
    compress(reinterpret_cast<Bytef*>(compressed.data()), &size, reinterpret_cast<const Bytef*>(text.data()),
             text.size());
    compressed.resize(size);
    return compressed;
}

std::string gzip_file(std::string text) {
    z_stream state{};
    if (deflateInit2(&state, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        throw std::runtime_error("zlib failed");
    }
    std::string compressed(deflateBound(&state, text.size()), '\0');
    state.next_in = reinterpret_cast<Bytef*>(text.data());
    state.avail_in = static_cast<uInt>(text.size());
    state.next_out = reinterpret_cast<Bytef*>(compressed.data());
    state.avail_out = static_cast<uInt>(compressed.size());
    deflate(&state, Z_FINISH);
    compressed.resize(state.total_out);
    deflateEnd(&state);
    return compressed;
}

std::string compressed_data(const std::vector<std::string>& rows, const CubeTestProfile& profile) {
    std::vector<std::string> entries(rows.size());
    std::string streams;
    std::size_t begin = 0;
    std::vector<std::size_t> begins;
    for (const std::string& row : rows) {
        begins.push_back(begin);
        begin += row.size();
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t i = profile.streams_reversed ? rows.size() - 1 - k : k;
        const std::string stream = zlib_stream(rows[i]);
        entries[i] = bytes_of(std::uint64_t{begins[i]}, profile.big_endian) +
                     bytes_of(std::uint64_t{streams.size()}, profile.big_endian) +
                     bytes_of(std::uint64_t{stream.size()}, profile.big_endian);
        streams += stream;
    }
    std::string data = "ZCUBEX.DATA";
    data += bytes_of(std::uint64_t{rows.size()}, profile.big_endian);
    for (const std::string& entry : entries) data += entry;
    return data + streams;
}

void add_metric(const CubeTestProfile& profile, const CubeTestMetric& metric, int& id, std::string& xml,
                std::vector<TarMember>& members) {
    xml += fmt::format(
        "<metric id=\"{}\" type=\"{}\"><disp_name>{}</disp_name><uniq_name>{}</uniq_name>"
        "<dtype>{}</dtype><uom>{}</uom><url></url><descr></descr>\n",
        id, metric.type, metric.name, metric.name, metric.data_type, metric.unit);
    std::string nodes;
    std::vector<std::string> rows;
    const auto order = node_order(profile, metric);
    for (std::size_t position = 0; position < order.size() && !metric.values.empty(); ++position) {
        const std::size_t node = order[position];
        if (metric.values[node].empty()) continue;
        nodes += bytes_of(static_cast<std::uint32_t>(position), profile.big_endian);
        std::string row;
        const auto values =
            metric.type == "INCLUSIVE" ? inclusive_values(profile, metric, node) : metric.values[node];
        for (const double value : values) row += value_bytes(value, metric.data_type, profile.big_endian);
        rows.push_back(row);
    }
    if (!rows.empty()) {
        std::string index = "CUBEX.INDEX";
        index += bytes_of(std::uint32_t{1}, profile.big_endian);
        index.append(2, '\0');  // version
        index += profile.all_nodes_listed ? '\3' : '\1';
        if (!profile.all_nodes_listed) {
            index += bytes_of(static_cast<std::uint32_t>(rows.size()), profile.big_endian);
            index += nodes;
        }
        std::string data = "CUBEX.DATA";
        for (const std::string& row : rows) data += row;
        if (profile.compressed) data = compressed_data(rows, profile);
        members.push_back({.name = fmt::format("{}.data", id), .content = data});
        members.push_back({.name = fmt::format("{}.index", id), .content = index});
    }
    ++id;
    for (const CubeTestMetric& child : metric.children) add_metric(profile, child, id, xml, members);
    xml += "</metric>\n";
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '&')
            out += "&amp;";
        else
            out += c;
    }
    return out;
}

void add_node(const CubeTestProfile& profile, std::size_t node, std::string& xml) {
    xml += fmt::format("<cnode id=\"{}\" calleeId=\"{}\">", node, 100 + node);
    for (const std::size_t child : children_of(profile, static_cast<int>(node)))
        add_node(profile, child, xml);
    xml += "</cnode>\n";
}

std::string program_xml(const CubeTestProfile& profile) {
    std::string xml = "<program>\n";
    for (std::size_t i = 0; i < profile.nodes.size(); ++i) {
        xml += fmt::format("<region id=\"{}\" mod=\"\" begin=\"-1\" end=\"-1\"><name>{}</name></region>\n",
                           100 + i, escaped(profile.nodes[i].region));
    }
    for (const std::size_t root : children_of(profile, -1)) add_node(profile, root, xml);
    return xml + "</program>\n";
}

std::string system_xml(const CubeTestProfile& profile) {
    std::string xml = "<system><systemtreenode Id=\"0\"><name>machine</name><class>machine</class>\n";
    for (std::size_t rank = 0; rank < profile.ranks; ++rank) {
        xml += fmt::format("<locationgroup Id=\"{}\"><name>Process</name><rank>{}</rank><type>process</type>",
                           rank, rank);
        for (std::size_t thread = 0; thread < profile.threads; ++thread) {
            xml += fmt::format(
                "<location Id=\"{}\"><name>Thread</name><rank>{}</rank><type>thread</type></location>",
                rank * profile.threads + thread, thread);
        }
        xml += "</locationgroup>\n";
    }
    return xml + "</systemtreenode><topologies></topologies></system>\n";
}

}  // namespace

std::string tar_archive(const std::vector<TarMember>& members, const CubeTestProfile& ways) {
    constexpr std::size_t block = 512;
    std::string archive;
    for (const TarMember& member : members) {
        std::string header(block, '\0');
        const auto put = [&](std::size_t at, std::string_view text) {
            std::ranges::copy(text, header.data() + at);
        };
        put(0, ways.member_prefix + member.name);
        put(100, "0000600");
        put(108, "0000000");
        put(116, "0000000");
        put(124, fmt::format("{:011o}", member.content.size()));
        put(136, "00000000000");
        put(148, "        ");
        put(156, "0");
        put(257, "ustar");
        put(263, "00");
        unsigned sum = ways.wrong_checksums ? 7 : 0;
        for (const char c : header) sum += static_cast<unsigned char>(c);
        put(148, fmt::format("{:06o}", sum));
        header[148 + 6] = '\0';
        archive += header + member.content;
        archive.resize((archive.size() + block - 1) / block * block);
        if (ways.early_block_of_zeros) archive.append(block, '\0');
    }
    return archive.append(2 * block, '\0');
}

std::vector<TarMember> cube_members(const CubeTestProfile& profile) {
    std::vector<TarMember> members;
    std::string xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n<metrics>\n";
    int id = 0;
    for (const CubeTestMetric& metric : profile.metrics) add_metric(profile, metric, id, xml, members);
    xml += "</metrics>\n";
    xml += program_xml(profile);
    xml += system_xml(profile);
    xml += "</cube>\n";
    members.push_back({.name = "anchor.xml", .content = profile.compressed_anchor ? gzip_file(xml) : xml});
    return members;
}

std::string cube_archive(const CubeTestProfile& profile) {
    return tar_archive(cube_members(profile), profile);
}

}  // namespace plimsoll::test
