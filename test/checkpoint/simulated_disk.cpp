#include "test/checkpoint/simulated_disk.hpp"

#include <algorithm>
#include <stdexcept>

namespace plimsoll::checkpoint::test {

namespace {

constexpr std::uint64_t page = 4096;

bool is_sync(SimulatedDisk::Kind kind) {
    return kind == SimulatedDisk::Kind::sync_file || kind == SimulatedDisk::Kind::sync_folder;
}

[[noreturn]] void refuse(const std::string& path, const char* why) {
    // The code under test does nothing of the kind; a test that gets here is wrong, or has found a fault.
    throw std::logic_error(path + ": " + why);
}

}  // namespace

SimulatedDisk::SimulatedDisk() { nodes_.push_back({.is_folder = true}); }

std::size_t SimulatedDisk::operations() const {
    const std::lock_guard lock(mutex_);
    return log_.size();
}

std::vector<std::size_t> SimulatedDisk::unsure(std::size_t end) const {
    const std::lock_guard lock(mutex_);
    std::set<std::size_t> synced;  // nodes that are synced after the operation looked at
    std::vector<std::size_t> positions;
    for (std::size_t i = end; i-- > 0;) {
        if (is_sync(log_[i].kind)) {
            synced.insert(log_[i].node);
        } else if (!synced.contains(log_[i].node)) {
            positions.push_back(i);
        }
    }
    std::reverse(positions.begin(), positions.end());
    return positions;
}

std::shared_ptr<SimulatedDisk> SimulatedDisk::after_failure(std::size_t end,
                                                            const std::set<std::size_t>& kept) const {
    const std::vector<std::size_t> open = unsure(end);
    const std::lock_guard lock(mutex_);
    auto disk = std::make_shared<SimulatedDisk>();
    for (std::size_t i = 0; i < end; ++i) {
        const bool is_lost = std::binary_search(open.begin(), open.end(), i) && !kept.contains(i);
        if (!is_lost && !is_sync(log_[i].kind)) disk->apply(log_[i]);
        // What a lost operation would have made may still be meant by later ones.
        disk->nodes_.resize(std::max(disk->nodes_.size(), log_[i].child + 1));
        if (log_[i].kind == Kind::link) disk->nodes_[log_[i].child].is_folder = log_[i].at == 1;
    }
    return disk;
}

void SimulatedDisk::apply(const Operation& operation) {
    nodes_.resize(std::max({nodes_.size(), operation.node + 1, operation.child + 1}));
    Node& node = nodes_[operation.node];
    switch (operation.kind) {
        case Kind::link:
            node.names[operation.name] = operation.child;
            nodes_[operation.child].is_folder = operation.at == 1;
            break;
        case Kind::unlink: node.names.erase(operation.name); break;
        case Kind::rename:
            node.names.erase(operation.name);
            node.names[operation.new_name] = operation.child;
            break;
        case Kind::resize: node.bytes.resize(operation.at); break;
        case Kind::write:
            if (node.bytes.size() < operation.at + operation.bytes.size())
                node.bytes.resize(operation.at + operation.bytes.size());
            std::copy(operation.bytes.begin(), operation.bytes.end(),
                      node.bytes.begin() + static_cast<std::ptrdiff_t>(operation.at));
            break;
        case Kind::sync_file:
        case Kind::sync_folder: break;
    }
}

void SimulatedDisk::record(Operation operation) {
    if (before_operation) before_operation(attempts_++);
    apply(operation);
    log_.push_back(std::move(operation));
}

std::size_t SimulatedDisk::find(const std::string& path) const {
    std::size_t node = 0;
    for (std::size_t begin = 0; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string name = path.substr(begin, end - begin);
        begin = end + 1;
        if (name.empty() || name == ".") continue;
        const auto found = nodes_[node].names.find(name);
        if (found == nodes_[node].names.end()) return none;
        node = found->second;
    }
    return node;
}

std::pair<std::size_t, std::string> SimulatedDisk::parent_of(const std::string& path) const {
    const std::size_t slash = path.rfind('/');
    const std::size_t node = slash == std::string::npos ? 0 : find(path.substr(0, slash));
    if (node == none || !nodes_[node].is_folder) refuse(path, "there is no such folder");
    return {node, slash == std::string::npos ? path : path.substr(slash + 1)};
}

std::vector<std::string> SimulatedDisk::files() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> paths;
    const std::function<void(std::size_t, const std::string&)> visit = [&](std::size_t node,
                                                                           const std::string& path) {
        if (!nodes_[node].is_folder) paths.push_back(path);
        for (const auto& [name, child] : nodes_[node].names)
            visit(child, path.empty() ? name : path + "/" + name);
    };
    visit(0, "");
    return paths;
}

std::vector<std::byte> SimulatedDisk::content(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    return nodes_[find(path)].bytes;
}

void SimulatedDisk::set_content(const std::string& path, std::vector<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    nodes_[find(path)].bytes = std::move(bytes);
}

void SimulatedDisk::remove(const std::string& path) {
    const std::lock_guard lock(mutex_);
    const auto [folder, name] = parent_of(path);
    nodes_[folder].names.erase(name);
}

std::shared_ptr<SimulatedDisk> SimulatedDisk::copy() const {
    const std::lock_guard lock(mutex_);
    auto disk = std::make_shared<SimulatedDisk>();
    disk->nodes_ = nodes_;
    return disk;
}

class SimulatedNewFile : public NewFile {
  public:
    SimulatedNewFile(std::shared_ptr<SimulatedDisk> disk, std::size_t node)
        : disk_(std::move(disk)), node_(node) {}

    void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
        const std::lock_guard lock(disk_->mutex_);
        while (!bytes.empty()) {
            const std::uint64_t count = std::min<std::uint64_t>(page - offset % page, bytes.size());
            disk_->record({.kind = SimulatedDisk::Kind::write,
                           .node = node_,
                           .at = offset,
                           .bytes = {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count)}});
            offset += count;
            bytes = bytes.subspan(count);
        }
    }
    void drain() override {}
    void sync() override {
        const std::lock_guard lock(disk_->mutex_);
        disk_->record({.kind = SimulatedDisk::Kind::sync_file, .node = node_});
    }

  private:
    std::shared_ptr<SimulatedDisk> disk_;
    std::size_t node_;
};

namespace {

class SimulatedStoredFile : public StoredFile {
  public:
    explicit SimulatedStoredFile(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
    [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }
    void read(std::uint64_t offset, std::span<std::byte> into) override {
        if (offset + into.size() > bytes_.size()) refuse("read", "ends before that");
        std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    }

  private:
    std::vector<std::byte> bytes_;
};

}  // namespace

std::unique_ptr<NewFile> SimulatedStorage::create(const std::string& path, std::uint64_t size) {
    const std::lock_guard lock(disk_->mutex_);
    const auto [folder, name] = disk_->parent_of(path);
    if (disk_->nodes_[folder].names.contains(name)) refuse(path, "is there already");
    const std::size_t node = disk_->nodes_.size();
    disk_->record({.kind = SimulatedDisk::Kind::link, .node = folder, .child = node, .name = name});
    disk_->record({.kind = SimulatedDisk::Kind::resize, .node = node, .at = size});
    return std::make_unique<SimulatedNewFile>(disk_, node);
}

std::unique_ptr<StoredFile> SimulatedStorage::open(const std::string& path) {
    const std::lock_guard lock(disk_->mutex_);
    const std::size_t node = disk_->find(path);
    if (node == SimulatedDisk::none || disk_->nodes_[node].is_folder) return nullptr;
    return std::make_unique<SimulatedStoredFile>(disk_->nodes_[node].bytes);
}

bool SimulatedStorage::make_folder(const std::string& path) {
    const std::lock_guard lock(disk_->mutex_);
    if (disk_->find(path) != SimulatedDisk::none) return false;
    const auto [folder, name] = disk_->parent_of(path);
    disk_->record({.kind = SimulatedDisk::Kind::link,
                   .node = folder,
                   .child = disk_->nodes_.size(),
                   .name = name,
                   .at = 1});
    return true;
}

void SimulatedStorage::rename(const std::string& from, const std::string& to) {
    const std::lock_guard lock(disk_->mutex_);
    const auto [folder, name] = disk_->parent_of(from);
    const auto [other_folder, new_name] = disk_->parent_of(to);
    if (folder != other_folder) refuse(from, "leaves its folder");
    const std::size_t node = disk_->find(from);
    if (node == SimulatedDisk::none) refuse(from, "is not there");
    disk_->record({.kind = SimulatedDisk::Kind::rename,
                   .node = folder,
                   .child = node,
                   .name = name,
                   .new_name = new_name});
}

void SimulatedStorage::remove_file(const std::string& path) {
    const std::lock_guard lock(disk_->mutex_);
    const std::size_t node = disk_->find(path);
    if (node == SimulatedDisk::none) return;
    if (disk_->nodes_[node].is_folder) refuse(path, "is a folder");
    const auto [folder, name] = disk_->parent_of(path);
    disk_->record({.kind = SimulatedDisk::Kind::unlink, .node = folder, .name = name});
}

void SimulatedStorage::remove_folder(const std::string& path) {
    const std::lock_guard lock(disk_->mutex_);
    const std::size_t node = disk_->find(path);
    if (node == SimulatedDisk::none) return;
    if (!disk_->nodes_[node].names.empty()) refuse(path, "is not empty");
    const auto [folder, name] = disk_->parent_of(path);
    disk_->record({.kind = SimulatedDisk::Kind::unlink, .node = folder, .name = name});
}

void SimulatedStorage::sync_folder(const std::string& path) {
    const std::lock_guard lock(disk_->mutex_);
    const std::size_t node = disk_->find(path);
    if (node == SimulatedDisk::none) refuse(path, "is not there");
    disk_->record({.kind = SimulatedDisk::Kind::sync_folder, .node = node});
}

std::vector<std::string> SimulatedStorage::list(const std::string& path) {
    const std::lock_guard lock(disk_->mutex_);
    std::vector<std::string> names;
    const std::size_t node = disk_->find(path);
    if (node == SimulatedDisk::none) return names;
    for (const auto& entry : disk_->nodes_[node].names) names.push_back(entry.first);
    return names;
}

bool SimulatedStorage::exists(const std::string& path) {
    const std::lock_guard lock(disk_->mutex_);
    return disk_->find(path) != SimulatedDisk::none;
}

std::unique_ptr<FolderLock> SimulatedStorage::lock(const std::string& /*path*/) {
    return std::make_unique<FolderLock>();
}

}  // namespace plimsoll::checkpoint::test
