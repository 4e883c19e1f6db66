#include "plimsoll/launch/control_group.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "plimsoll/core/error.hpp"
#include "plimsoll/core/text.hpp"
#include "plimsoll/launch/detail/control_files.hpp"

namespace plimsoll::launch {

namespace {

using detail::kernel_text;

constexpr std::string_view own_prefix = "plimsoll-";
constexpr auto first_nap = std::chrono::microseconds(100);
constexpr int most_naps = 12;  // doubling: 0.4 s in all

/// 0, or the system's error code.
int write(const std::string& path, std::string_view text) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0) return errno;
    return ::write(file.number(), text.data(), text.size()) < 0 ? errno : 0;
}

bool has_word(std::string_view text, std::string_view word) {
    const auto words = split(trim(text), ' ');
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// Removes a group, whose last process may be about to leave it.
bool remove(const std::string& folder) {
    auto nap = first_nap;
    for (int i = 0; ::rmdir(folder.c_str()) != 0; ++i) {
        if (errno == ENOENT) return true;
        if (errno != EBUSY || i == most_naps) return false;
        std::this_thread::sleep_for(nap);
        nap *= 2;
    }
    return true;
}

/// Removes what others have left of whom there is no more. What is in use stays.
void remove_leftovers(const std::string& parent) {
    std::error_code failure;
    for (std::filesystem::directory_iterator entry(parent, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        const std::string name = entry->path().filename().string();
        pid_t owner = 0;
        if (!name.starts_with(own_prefix)) continue;
        std::from_chars(name.data() + own_prefix.size(), name.data() + name.size(), owner);
        if (owner <= 0 || ::kill(owner, 0) == 0 || errno != ESRCH) continue;
        std::error_code ignored;
        for (std::filesystem::directory_iterator group(entry->path(), ignored);
             !ignored && group != std::filesystem::directory_iterator(); group.increment(ignored)) {
            if (group->is_directory(ignored)) ::rmdir(group->path().c_str());
        }
        ::rmdir(entry->path().c_str());
    }
}

}  // namespace

// -------------------------------------------------------------------------------------------------- one
// group

ControlGroup::~ControlGroup() {
    entrance_.close();
    kill();
    (void)remove(folder_);
}

std::vector<pid_t> ControlGroup::members() const {
    std::vector<pid_t> ids;
    const std::string procs = kernel_text(folder_ + "/cgroup.procs");
    for (const std::string_view line : split(procs, '\n')) {
        pid_t id = 0;
        std::from_chars(line.data(), line.data() + line.size(), id);
        if (id > 0) ids.push_back(id);  // 0: of a space of ids that we do not see
    }
    return ids;
}

void ControlGroup::kill() noexcept {
    try {
        if (is_unified_ && write(folder_ + "/cgroup.kill", "1") == 0) return;
        // Version 1 has no such file: again until nobody is left who could have begun another meanwhile.
        auto nap = first_nap;
        for (int i = 0; i < most_naps; ++i, nap *= 2) {
            const std::vector<pid_t> left = members();
            if (left.empty()) return;
            for (const pid_t id : left) ::kill(id, SIGKILL);
            std::this_thread::sleep_for(nap);
        }
    } catch (const std::exception&) {  // no memory for the list
    }
}

bool ControlGroup::ran_out_of_memory() const {
    return detail::count_of_kills(
               kernel_text(folder_ + (is_unified_ ? "/memory.events" : "/memory.oom_control"))) > 0;
}

// ------------------------------------------------------------------------------------------------- their
// place

ControlGroups::ControlGroups() {
    const std::string mounts = kernel_text("/proc/self/mountinfo");
    const std::string groups = kernel_text("/proc/self/cgroup");
    const auto unified = detail::own_control_group(mounts, groups, "");
    const auto version_1 = detail::own_control_group(mounts, groups, "memory");
    if (unified && open_unified(*unified)) return;
    if (version_1 && open_version_1(*version_1)) {
        obstacle_.clear();
        return;
    }
    if (obstacle_.empty()) obstacle_ = "this system shows no control groups that limit memory";
}

bool ControlGroups::open_unified(const std::string& parent) {
    if (!has_word(kernel_text(parent + "/cgroup.controllers"), "memory")) return false;
    remove_leftovers(parent);
    const std::string folder = fmt::format("{}/{}{}", parent, own_prefix, ::getpid());
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        obstacle_ = fmt::format("{}: {}", parent, std::strerror(errno));
        return false;
    }
    const std::string own = folder + "/own";
    const auto pass_on = [&](const std::string& of) {
        return has_word(kernel_text(of + "/cgroup.subtree_control"), "memory")
                   ? 0
                   : write(of + "/cgroup.subtree_control", "+memory");
    };
    int failure = pass_on(parent);
    bool moved = false;
    if (failure == EBUSY && ::mkdir(own.c_str(), 0755) == 0) {
        moved = write(own + "/cgroup.procs", "0") == 0;
        failure = pass_on(parent);
    }
    if (failure == 0) failure = pass_on(folder);
    if (failure != 0) {
        obstacle_ = failure == EBUSY ? fmt::format("other processes are in {}", parent)
                                     : fmt::format("{}: {}", parent, std::strerror(failure));
        if (moved) write(parent + "/cgroup.procs", "0");
        ::rmdir(own.c_str());
        ::rmdir(folder.c_str());
        return false;
    }
    folder_ = folder;
    parent_ = parent;
    is_unified_ = true;
    is_inside_ = moved;
    return true;
}

bool ControlGroups::open_version_1(const std::string& parent) {
    remove_leftovers(parent);
    const std::string folder = fmt::format("{}/{}{}", parent, own_prefix, ::getpid());
    if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
        obstacle_ = fmt::format("{}: {}", parent, std::strerror(errno));
        return false;
    }
    folder_ = folder;
    parent_ = parent;
    return true;
}

ControlGroups::~ControlGroups() {
    if (folder_.empty()) return;
    if (is_inside_) {
        // Back to where we came from, which may hold processes only while it limits nothing below it.
        for (const std::string& of : {folder_, parent_}) write(of + "/cgroup.subtree_control", "-memory");
        write(parent_ + "/cgroup.procs", "0");
        ::rmdir((folder_ + "/own").c_str());
    }
    ::rmdir(folder_.c_str());
}

std::unique_ptr<ControlGroup> ControlGroups::make(std::uint64_t memory_bytes) {
    const auto fail = [&](int code) {
        throw Error(ErrorKind::environment,
                    fmt::format("cannot limit memory to {} bytes by a control group: {}", memory_bytes,
                                folder_.empty() ? obstacle_ : std::strerror(code)),
                    "run it without a limit of memory, or where control groups may be made");
    };
    if (folder_.empty()) fail(0);
    std::string folder = fmt::format("{}/{}", folder_, ++made_);
    if (::mkdir(folder.c_str(), 0755) != 0) fail(errno);
    std::unique_ptr<ControlGroup> group(new ControlGroup(folder, is_unified_));  // its own constructor
    const std::string limit = std::to_string(memory_bytes);
    if (const int code = write(folder + (is_unified_ ? "/memory.max" : "/memory.limit_in_bytes"), limit);
        code != 0)
        fail(code);
    // These two are not on every system.
    if (is_unified_) {
        write(folder + "/memory.swap.max", "0");
        write(folder + "/memory.oom.group", "1");
    } else {
        write(folder + "/memory.memsw.limit_in_bytes", limit);
    }
    group->entrance_ = Descriptor(::open((folder + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
    if (group->entrance_.number() < 0) fail(errno);
    return group;
}

}  // namespace plimsoll::launch
