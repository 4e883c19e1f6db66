// One shared file by MPI-IO: collective writes, then MPI_File_sync.
#include <mpi.h>

#include "bench/checkpoint/rivals/method.hpp"

namespace plimsoll::bench {

namespace {

class MpiIo : public Method {
  public:
    explicit MpiIo(const Setting& setting) : setting_(setting) {}
    void save() override {
        const std::span<const std::byte> bytes = setting_.memory->bytes();
        const std::string path = setting_.folder + "/mpi-io";
        MPI_File file = MPI_FILE_NULL;
        check(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL,
                            &file));
        const auto begin = static_cast<MPI_Offset>(bytes.size()) * static_cast<MPI_Offset>(setting_.rank);
        for (std::size_t at = 0; at < bytes.size(); at += most) {
            const std::size_t count = std::min(most, bytes.size() - at);
            check(MPI_File_write_at_all(file, begin + static_cast<MPI_Offset>(at), bytes.data() + at,
                                        static_cast<int>(count), MPI_BYTE, MPI_STATUS_IGNORE));
        }
        check(MPI_File_sync(file));
        check(MPI_File_close(&file));
    }

  private:
    static constexpr std::size_t most = std::size_t{1} << 30;  ///< of one call, which counts in ints
    static void check(int code) { require(code == MPI_SUCCESS, "MPI-IO"); }
    Setting setting_;
};

}  // namespace

std::vector<NamedMethod> mpi_methods() {
    return {{"mpi-io", "collective writes to one file, and MPI_File_sync",
             [](const Setting& setting) { return std::make_unique<MpiIo>(setting); }}};
}

}  // namespace plimsoll::bench
