#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace plimsoll::report {

/// One page behind an address that nobody guesses.
struct Site {
    std::string host;   ///< that browsers reach it by, with the port: `127.0.0.1:8080`
    std::string alias;  ///< another name of the same, such as `localhost:8080`; may be empty
    std::string token;  ///< the first piece of the path
    std::shared_ptr<const std::string> page;  ///< HTML
    std::string version;  ///< of the page, where it is renewed; empty where it stays as it is
    std::string trouble;  ///< why newer data could not be read, as JSON; empty where all is well
};

/// Longest head of a request that is read, in bytes.
constexpr std::size_t longest_head = 16384;

/// What follows the head of an answer.
enum class Follows {
    body,    ///< the answer's own
    page,    ///< the site's
    events,  ///< server-sent events, without an end; `body` has the first ones
};

/// What a request is answered with. `head` ends with the empty line.
struct Answer {
    int status = 200;
    std::string head;
    std::string body;
    Follows follows = Follows::body;
};

/// Answers the head of a request, up to its empty line.
///
/// The page is shown to a GET or HEAD of `/TOKEN/` that names this host, the events of one that is renewed at
/// `/TOKEN/events`, and nothing else: a foreign Host
/// is a name that somebody made resolve to this machine, a foreign Origin a page of somebody else, and a path
/// of more pieces, dots among them, is none that was given out. Requests have no body.
[[nodiscard]] Answer answer(std::string_view head, const Site& site);

/// What those who follow a page are told of it: its version, and what is wrong, if anything is.
[[nodiscard]] std::string events_of(const Site& site);

/// The answer to a head that is too long.
[[nodiscard]] Answer too_long();

}  // namespace plimsoll::report
