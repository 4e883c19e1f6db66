#include "plimsoll/report/http.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "plimsoll/core/text.hpp"

namespace plimsoll::report {

namespace {

std::string_view reason_of(int status) {
    switch (status) {
        case 200: return "OK";
        case 400: return "Bad Request";
        case 403: return "Forbidden";
        case 404: return "Not Found";
        case 405: return "Method Not Allowed";
        case 413: return "Content Too Large";
        case 431: return "Request Header Fields Too Large";
        default: return "Error";
    }
}

/// `length` is a line of its own, or nothing where the end is not known.
std::string head_with(int status, std::string_view type, std::string_view length) {
    return fmt::format(
        "HTTP/1.1 {} {}\r\nContent-Type: {}; charset=utf-8\r\n{}Connection: close\r\n"
        "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
        "Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\n\r\n",
        status, reason_of(status), type, length);
}

std::string head_of(int status, std::string_view type, std::size_t length) {
    return head_with(status, type, fmt::format("Content-Length: {}\r\n", length));
}

Answer refused(int status, std::string_view words) {
    Answer answer{.status = status, .head = {}, .body = fmt::format("{}\n", words)};
    answer.head = head_of(status, "text/plain", answer.body.size());
    return answer;
}

/// Whether two texts are the same, in a time that does not tell where they differ.
bool is_same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i])) ^
                      static_cast<unsigned>(static_cast<unsigned char>(b[i]));
    return difference == 0;
}

struct Request {
    std::string method;
    std::string path;
    std::vector<std::string> hosts;
    std::vector<std::string> origins;
    bool has_body = false;
};

std::optional<Request> parse(std::string_view head) {
    Request request;
    bool is_first = true;
    for (std::string_view line : split(head, '\n')) {
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (is_first) {
            const std::vector<std::string_view> words = split(line, ' ');
            if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) return std::nullopt;
            request.method = words[0];
            request.path = words[1];
            is_first = false;
            continue;
        }
        if (line.empty()) break;
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0) return std::nullopt;
        const std::string name = lower_case(line.substr(0, colon));
        const std::string value = lower_case(trim(line.substr(colon + 1)));
        if (name == "host") request.hosts.push_back(value);
        if (name == "origin") request.origins.push_back(value);
        if ((name == "content-length" && value != "0") || name == "transfer-encoding")
            request.has_body = true;
    }
    return is_first ? std::nullopt : std::optional(std::move(request));
}

}  // namespace

Answer too_long() { return refused(431, "the request is too long"); }

Answer answer(std::string_view head, const Site& site) {
    const std::optional<Request> request = parse(head);
    if (!request) return refused(400, "this is no request");
    const auto is_ours = [&](const std::string& name) {
        return name == lower_case(site.host) || (!site.alias.empty() && name == lower_case(site.alias));
    };
    if (request->hosts.size() != 1 || !is_ours(request->hosts.front()))
        return refused(403, "this host is not served here");
    for (const std::string& origin : request->origins) {
        if (!origin.starts_with("http://") || !is_ours(origin.substr(7)))
            return refused(403, "other pages may not ask here");
    }
    if (request->has_body) return refused(413, "requests have no body here");
    if (request->method != "GET" && request->method != "HEAD")
        return refused(405, "pages can only be read here");
    const bool is_read = request->method == "GET";
    if (!site.version.empty() && is_same(request->path, fmt::format("/{}/events", site.token))) {
        return {.status = 200,
                .head = head_with(200, "text/event-stream", {}),
                .body = is_read ? "retry: 1000\n\n" + events_of(site) : std::string{},
                .follows = is_read ? Follows::events : Follows::body};
    }
    if (!is_same(request->path, fmt::format("/{}/", site.token)))
        return refused(404, "there is nothing here; use the whole address that plimsoll printed");
    return {.status = 200,
            .head = head_of(200, "text/html", site.page->size()),
            .body = {},
            .follows = is_read ? Follows::page : Follows::body};
}

std::string events_of(const Site& site) {
    std::string text = fmt::format("event: page\ndata: {}\n\n", site.version);
    if (!site.trouble.empty()) text += fmt::format("event: trouble\ndata: {}\n\n", site.trouble);
    return text;
}

}  // namespace plimsoll::report
