#include "plimsoll/report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "plimsoll/core/error.hpp"

namespace plimsoll::report {

namespace {

constexpr std::string_view separators = "\xE2\x80";  // U+2028 and U+2029 are these and A8 or A9

void append_base64(std::string& text, std::uint32_t three_bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[(three_bytes >> shift) & 63U];
}

}  // namespace

std::string json_for_html(std::string_view json) {
    std::string text;
    text.reserve(json.size());
    bool is_in_string = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (!is_in_string && (c == ' ' || c == '\n')) continue;
        if (c == '"') is_in_string = !is_in_string;
        if (c == '\\' && i + 1 < json.size()) {  // what stands behind ends no string
            text += json.substr(i++, 2);
            continue;
        }
        // Outside of strings, JSON has none of these.
        if (c == '<') {
            text += "\\u003c";
        } else if (c == '>') {
            text += "\\u003e";
        } else if (json.substr(i, 2) == separators && i + 2 < json.size() &&
                   (json[i + 2] == '\xA8' || json[i + 2] == '\xA9')) {
            text += json[i + 2] == '\xA8' ? "\\u2028" : "\\u2029";
            i += 2;
        } else {
            text += c;
        }
    }
    return text;
}

std::string text_for_html(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        switch (c) {
            case '&': escaped += "&amp;"; break;
            case '<': escaped += "&lt;"; break;
            case '>': escaped += "&gt;"; break;
            case '"': escaped += "&quot;"; break;
            case '\'': escaped += "&#39;"; break;
            default: escaped += c;
        }
    }
    return escaped;
}

std::string base64_floats(std::span<const float> numbers) {
    std::string text;
    text.reserve((numbers.size() * 4 + 2) / 3 * 4);
    std::uint32_t waiting = 0;
    int bytes = 0;
    for (const float number : numbers) {
        const auto bits = std::bit_cast<std::uint32_t>(number);
        for (int shift = 0; shift < 32; shift += 8) {
            waiting = (waiting << 8) | ((bits >> shift) & 255U);
            if (++bytes < 3) continue;
            append_base64(text, waiting);
            waiting = 0;
            bytes = 0;
        }
    }
    if (bytes > 0) {
        append_base64(text, waiting << (8 * (3 - bytes)));
        const auto padding = static_cast<std::size_t>(3 - bytes);
        text.replace(text.size() - padding, padding, padding, '=');
    }
    return text;
}

Page::Page(const std::string& path, const Bundle& bundle, std::string_view title, std::string_view version)
    : file_(path), bundle_(&bundle) {
    write("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    write(fmt::format(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-{}'; "
        "style-src 'sha256-{}'; img-src data: blob:; {}base-uri 'none'; form-action 'none'\">\n",
        bundle.script_digest, bundle.style_digest, version.empty() ? "" : "connect-src 'self'; "));
    if (!version.empty())
        write(fmt::format("<meta name=\"plimsoll-version\" content=\"{}\">\n", text_for_html(version)));
    write("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    write("<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n");
    write(fmt::format("<title>{}</title>\n<style>", text_for_html(title)));
    write(bundle.style);
    write("</style>\n</head>\n<body>\n<div id=\"app\"></div>\n");
    write("<noscript>This report draws its pages with JavaScript, which is turned off here.</noscript>\n");
}

void Page::add(std::string_view id, std::string_view type, std::string_view text) {
    PLIMSOLL_EXPECT(std::all_of(id.begin(), id.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    }));
    write(fmt::format("<script type=\"{}\" id=\"{}\">", type, id));
    write(text);
    write("</script>\n");
}

void Page::add_json(std::string_view id, std::string_view json) {
    add(id, "application/json", json_for_html(json));
}

void Page::add_floats(std::string_view id, std::span<const float> numbers) {
    add(id, "text/plain", base64_floats(numbers));
}

std::size_t Page::finish() {
    write("<script>");
    write(bundle_->script);
    write("</script>\n</body>\n</html>\n");
    file_.commit();
    return bytes_;
}

void Page::write(std::string_view text) {
    file_.write(text);
    bytes_ += text.size();
}

}  // namespace plimsoll::report
