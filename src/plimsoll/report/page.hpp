#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "plimsoll/core/file.hpp"
#include "plimsoll/report/bundle.hpp"

namespace plimsoll::report {

/// JSON text that may stand in a script element of HTML: nothing in it ends the element, begins a comment, or
/// is a line end for older readers. It is the same JSON value, without blanks between its parts.
[[nodiscard]] std::string json_for_html(std::string_view json);

/// Text that may stand in HTML outside of tags, and in quoted attributes.
[[nodiscard]] std::string text_for_html(std::string_view text);

/// Numbers as base64 of little-endian single precision, 4 bytes each; what is no number stays none.
[[nodiscard]] std::string base64_floats(std::span<const float> numbers);

/// One HTML file that opens from disk and asks nobody for anything: style, data and program stand in it.
///
/// Data come first and block by block, so that a large report is never in memory as a whole. The page's
/// content security policy allows this program and this style alone, and no connection at all; one that a
/// server renews states its version and may ask that server alone.
class Page {
  public:
    /// Begins the file, which appears once `finish` has been called; `-` is standard output. A version is
    /// that of a page which a server renews.
    Page(const std::string& path, const Bundle& bundle, std::string_view title,
         std::string_view version = {});

    /// Data that the program finds by the id, which has letters, digits and dashes alone.
    void add_json(std::string_view id, std::string_view json);
    void add_floats(std::string_view id, std::span<const float> numbers);

    /// Ends the file and makes it appear; its size in bytes comes back.
    std::size_t finish();

  private:
    void write(std::string_view text);
    void add(std::string_view id, std::string_view type, std::string_view text);

    OutputFile file_;
    const Bundle* bundle_;
    std::size_t bytes_ = 0;
};

}  // namespace plimsoll::report
