#include "app/report/serve.hpp"

#include <fmt/format.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): for mkdtemp, which is the system's

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/report/follow.hpp"
#include "plimsoll/core/error.hpp"
#include "plimsoll/core/file.hpp"
#include "plimsoll/report/server.hpp"

namespace plimsoll::app {

namespace {

/// A folder that nobody else may read, and that goes away.
class PrivateFolder {
  public:
    PrivateFolder() : path_((std::filesystem::temp_directory_path() / "plimsoll-report-XXXXXX").string()) {
        if (::mkdtemp(path_.data()) == nullptr)
            throw Error(ErrorKind::environment, fmt::format("{}: cannot make a folder", path_),
                        "check the disk of temporary files, or name another one with TMPDIR");
    }
    PrivateFolder(const PrivateFolder&) = delete;
    PrivateFolder& operator=(const PrivateFolder&) = delete;
    ~PrivateFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::string& path() const { return path_; }

  private:
    std::string path_;
};

std::string page_of(ReportRequest request, Progress& progress) {
    const PrivateFolder folder;
    request.output = folder.path() + "/report.html";
    static_cast<void>(build_report(request, progress));
    return read_file(request.output);
}

}  // namespace

void serve_report(const ReportRequest& request, const ServeOptions& options,
                  const std::function<void(const ServedReport&)>& tell, Progress& progress) {
    report::Server server(options.bind, static_cast<std::uint16_t>(options.port));  // before the work
    constexpr std::size_t digits = 32;                                              // 128 bits
    const bool is_local = options.bind == "127.0.0.1";
    std::vector<std::string> watched = request.models.fit.inputs.paths;
    if (!request.before.empty()) watched.push_back(request.before);
    const bool is_renewed = can_be_read_again(watched);
    std::string seen = is_renewed ? state_of(watched) : std::string();  // before the work, which takes time
    ReportRequest versioned = request;
    if (is_renewed) versioned.version = "1";
    const report::Site site{.host = fmt::format("{}:{}", options.bind, server.port()),
                            .alias = is_local ? fmt::format("localhost:{}", server.port()) : "",
                            .token = report::random_token(digits),
                            .page = std::make_shared<const std::string>(page_of(versioned, progress)),
                            .version = versioned.version,
                            .trouble = {}};
    ServedReport served{.address = fmt::format("http://{}/{}/", site.host, site.token),
                        .port = server.port(),
                        .is_renewed = is_renewed,
                        .warning = {}};
    if (!is_local)
        served.warning = fmt::format(
            "others on the network reach {} too, and whoever reads the address along the way can open "
            "the report; an SSH tunnel to 127.0.0.1 is safer",
            options.bind);
    tell(served);
    std::optional<Follower> follower;
    if (is_renewed) {
        constexpr std::chrono::milliseconds pause{1000};
        follower.emplace(std::move(watched), std::move(seen), site.page, pause,
                         [&versioned](const std::string& version, Progress& work) {
                             versioned.version = version;
                             return page_of(versioned, work);
                         });
    }
    server.run(
        site, [&] { return progress.stop_requested(); },
        [&] { return follower ? follower->take() : std::optional<report::Renewal>(); });
}

}  // namespace plimsoll::app
