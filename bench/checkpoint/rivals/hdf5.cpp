// One shared file by parallel HDF5: a collective write, then H5Fflush, which syncs by MPI-IO.
#include <hdf5.h>
#include <mpi.h>

#include "bench/checkpoint/rivals/method.hpp"

namespace plimsoll::bench {

namespace {

class Hdf5 : public Method {
  public:
    explicit Hdf5(const Setting& setting) : setting_(setting) {}
    void save() override {
        const std::span<const std::uint64_t> words = setting_.memory->words();
        const std::string path = setting_.folder + "/state.h5";
        const hid_t access = checked(H5Pcreate(H5P_FILE_ACCESS));
        require(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0, "H5Pset_fapl_mpio");
        const hid_t file = checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access));
        const hsize_t mine = words.size();
        const hsize_t all = mine * static_cast<hsize_t>(setting_.ranks);
        const hsize_t begin = mine * static_cast<hsize_t>(setting_.rank);
        const hid_t in_file = checked(H5Screate_simple(1, &all, nullptr));
        const hid_t in_memory = checked(H5Screate_simple(1, &mine, nullptr));
        require(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &begin, nullptr, &mine, nullptr) >= 0,
                "H5Sselect_hyperslab");
        const hid_t data = checked(
            H5Dcreate2(file, "words", H5T_NATIVE_UINT64, in_file, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const hid_t transfer = checked(H5Pcreate(H5P_DATASET_XFER));
        require(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0, "H5Pset_dxpl_mpio");
        require(H5Dwrite(data, H5T_NATIVE_UINT64, in_memory, in_file, transfer, words.data()) >= 0,
                "H5Dwrite");
        require(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0, "H5Fflush");
        H5Pclose(transfer);
        H5Dclose(data);
        H5Sclose(in_memory);
        H5Sclose(in_file);
        require(H5Fclose(file) >= 0, "H5Fclose");
        H5Pclose(access);
    }
    [[nodiscard]] std::vector<std::string> unsynced() const override {
        return {setting_.folder + "/state.h5"};
    }

  private:
    static hid_t checked(hid_t id) {
        require(id >= 0, "HDF5");
        return id;
    }
    Setting setting_;
};

}  // namespace

std::vector<NamedMethod> hdf5_methods() {
    return {{"hdf5", "parallel HDF5: a collective write and H5Fflush",
             [](const Setting& setting) { return std::make_unique<Hdf5>(setting); }}};
}

}  // namespace plimsoll::bench
