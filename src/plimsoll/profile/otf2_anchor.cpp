// What tells OTF2 archives from other files. Needs no library of OTF2's.

#include "plimsoll/profile/detail/otf2_anchor.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "plimsoll/core/error.hpp"
#include "plimsoll/profile/detail/formats.hpp"

namespace plimsoll::profile::detail {

std::vector<std::string> otf2_anchors(const std::string& folder) {
    std::vector<std::string> anchors;
    std::error_code failure;
    std::filesystem::directory_iterator it(folder, failure);
    for (; !failure && it != std::filesystem::end(it); it.increment(failure)) {
        std::error_code none;
        if (it->path().extension() != ".otf2" || !it->is_regular_file(none)) continue;
        const std::string file = it->path().string();
        try {
            Input input(file);
            constexpr std::size_t mark_size = 16;
            if (is_otf2({.path = file, .head = input.peek(mark_size)})) anchors.push_back(file);
        } catch (const Error&) {
            continue;  // what cannot be read is no anchor
        }
    }
    std::sort(anchors.begin(), anchors.end());
    return anchors;
}

bool is_otf2(const experiment::Probe& probe) {
    // The beginning of a file, its byte order, and the name of the format. Files of definitions and events
    // begin with a block instead.
    const std::string_view head = probe.head;
    return head.size() > 6 && head[0] == '\3' && (head[1] == 'B' || head[1] == '#') &&
           head.substr(2, 4) == "OTF2";
}

bool is_otf2_folder(const std::string& path) { return !otf2_anchors(path).empty(); }

void read_otf2_folder(const std::string& path, Sink& sink, Activity& activity) {
    for (const std::string& anchor : otf2_anchors(path)) {
        Input input(anchor);
        input.count_for(activity);
        read_otf2_archive(input, sink, &activity);
    }
}

void read_otf2(Input& input, Sink& sink) { read_otf2_archive(input, sink, nullptr); }

}  // namespace plimsoll::profile::detail
