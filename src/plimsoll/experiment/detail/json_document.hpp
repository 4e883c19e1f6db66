#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "plimsoll/experiment/builder.hpp"
#include "plimsoll/experiment/detail/ignored_names.hpp"
#include "plimsoll/experiment/detail/json_new_form.hpp"
#include "plimsoll/experiment/detail/json_old_form.hpp"
#include "plimsoll/experiment/detail/json_shape.hpp"
#include "plimsoll/experiment/detail/json_source.hpp"

namespace plimsoll::experiment::detail {

/// Takes the events of nlohmann's SAX parser, follows them along the table of json_shape.hpp, and hands what
/// is complete to the form it belongs to. Never deeper than the table, whatever the document nests.
class JsonDocumentHandler {
  public:
    JsonDocumentHandler(ExperimentBuilder& builder, const std::string& file, JsonSource& source);

    // The parser's interface. Errors are thrown, so each returns true.
    bool null() { return scalar(JsonKind::null, 0.0, {}); }
    bool boolean(bool /*value*/) { return scalar(JsonKind::boolean, 0.0, {}); }
    bool number_integer(std::int64_t value) {
        return scalar(JsonKind::number, static_cast<double>(value), {});
    }
    bool number_unsigned(std::uint64_t value) {
        return scalar(JsonKind::number, static_cast<double>(value), {});
    }
    bool number_float(double value, const std::string& /*token*/) {
        return scalar(JsonKind::number, value, {});
    }
    bool string(std::string& value) { return scalar(JsonKind::text, 0.0, value); }
    bool binary(nlohmann::json::binary_t& /*value*/) { return true; }
    bool start_object(std::size_t /*size*/) { return open(JsonKind::object); }
    bool start_array(std::size_t /*size*/) { return open(JsonKind::list); }
    bool key(std::string& name);
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t position, const std::string& token, const nlohmann::json::exception& error);

  private:
    /// A list or object that is open.
    struct Frame {
        JsonNode node;
        JsonKind kind;
        std::span<const JsonEdge> edges;
        std::uint64_t line;
        unsigned seen = 0;    // edges whose keys were given, a bit each
        std::string unknown;  // a key that is not known

        [[nodiscard]] unsigned bit_of(std::string_view key) const;
    };

    bool open(JsonKind kind);
    bool close();
    bool scalar(JsonKind kind, double number, std::string_view text);
    const JsonEdge* find_edge(JsonKind kind) const;
    void begin(JsonNode node);
    void end(const Frame& frame);
    void take(JsonNode node, JsonKind kind, double number, std::string_view text);
    double whole_id(double number) const;
    void check_complete(const Frame& frame) const;
    void end_parameters(std::uint64_t line);
    void finish(const Frame& document);
    [[noreturn]] void fail(std::uint64_t line, std::string message, std::string hint) const;
    [[noreturn]] void fail_kind(JsonKind kind) const;

    ExperimentBuilder* builder_;
    JsonSource* source_;
    std::string file_;
    IgnoredNames ignored_;
    NewForm new_form_;
    OldForm old_form_;

    std::vector<Frame> frames_;
    std::string key_;
    std::size_t ignored_depth_ = 0;  // of what an unknown key holds
    bool ignores_next_ = false;
    bool text_numbers_noted_ = false;
    bool is_finished_ = false;

    // What is being read.
    std::vector<std::string> names_;
    std::string region_;
    NewForm::Entry entry_;
    OldForm::Definition definition_;
    OldForm::Pair pair_;
    std::vector<OldForm::Pair> pairs_;
    OldForm::Row row_;
    bool row_is_null_ = false;
    bool has_definitions_ = false;  // among the parameters, as in the old form
    bool has_rows_ = false;         // measurements of the old form
};

}  // namespace plimsoll::experiment::detail
