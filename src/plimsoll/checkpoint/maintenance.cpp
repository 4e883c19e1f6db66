#include "plimsoll/checkpoint/maintenance.hpp"

#include "plimsoll/checkpoint/catalog.hpp"
#include "plimsoll/checkpoint/detail/folder_setup.hpp"

namespace plimsoll::checkpoint {

Maintenance::Maintenance(Storage& storage, const std::string& folder) {
    static_cast<void>(read_catalog(storage, folder));  // no folder of another kind is made one of ours
    lock_ = detail::set_up_folder(storage, folder).lock;
}

}  // namespace plimsoll::checkpoint
