#pragma once

#include <functional>
#include <string>

#include "app/report/build.hpp"

namespace plimsoll::app {

struct ServeOptions {
    int port = 0;
    std::string bind = "127.0.0.1";
};

template <class Visitor>
void describe(ServeOptions& o, Visitor&& option) {
    option("port", o.port, "Port to listen on; 0 for one that is free", Between{0, 65535});
    option("bind", o.bind,
           "IPv4 address of this machine to listen on; others than 127.0.0.1 are reached from elsewhere");
}

/// Where a report is shown.
struct ServedReport {
    std::string address;  ///< the whole one, with the token
    int port = 0;
    bool is_renewed = false;  ///< whether it follows its inputs, which pipes do not allow
    std::string warning;      ///< where others reach it; empty otherwise
};

/// Builds a report and shows it until the user asks to stop; makes it anew while its inputs change. `tell` is
/// called once it can be seen.
void serve_report(const ReportRequest& request, const ServeOptions& options,
                  const std::function<void(const ServedReport&)>& tell, Progress& progress);

}  // namespace plimsoll::app
