#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/commands/inputs.hpp"
#include "plimsoll/core/options.hpp"

namespace plimsoll::app {

/// What another command told, of which a report has a page.
enum class DocumentKind {
    training,  ///< plimsoll.training/1
    plan,      ///< plimsoll.plan-config/1
    campaign   ///< plimsoll.campaign-top/1
};
[[nodiscard]] constexpr std::array<EnumName<DocumentKind>, 3> enum_names(DocumentKind) {
    return {{{DocumentKind::training, "training"},
             {DocumentKind::plan, "plan"},
             {DocumentKind::campaign, "campaign"}}};
}

/// A document as another command printed it with --json.
struct ShownDocument {
    DocumentKind kind{};
    std::string name;  ///< of the file
    std::string json;
};

/// Takes the documents away from among inputs, by what their schema says, in their order. Pipes are looked
/// into, and stay open for those who read what remains. Throws an input error for a document that is damaged
/// or of a later version.
[[nodiscard]] std::vector<ShownDocument> take_documents(Inputs& inputs);

}  // namespace plimsoll::app
