#include <optional>

#include "bench/checkpoint/rivals/method.hpp"
#include "plimsoll/checkpoint/session.hpp"
#include "plimsoll/checkpoint_mpi/mpi_communicator.hpp"

namespace plimsoll::bench {

namespace {

class Ours : public Method {
  public:
    Ours(const Setting& setting, checkpoint::Capture capture)
        : session_({.folder = setting.folder + "/saves", .capture = capture},
                   std::make_unique<checkpoint::MpiCommunicator>(MPI_COMM_WORLD)) {
        session_.protect("words", setting.memory->words());
        // The first save fills memory that is used again; those of the others do so in their scratch files.
        session_.save(0);
        session_.finish();
    }
    void save() override { save_.emplace(session_.save(1)); }
    void wait() override { require(save_->wait(), "save: " + save_->failure()); }

  private:
    checkpoint::Session session_;
    std::optional<checkpoint::Save> save_;
};

}  // namespace

std::vector<NamedMethod> our_methods() {
    return {
        {"plimsoll", "copied, then written by io_uring past the cache, checksums, committed",
         [](const Setting& setting) { return std::make_unique<Ours>(setting, checkpoint::Capture::copied); }},
        {"plimsoll-lazy", "write-protected, copied while the program goes on, then the same",
         [](const Setting& setting) { return std::make_unique<Ours>(setting, checkpoint::Capture::lazy); }}};
}

}  // namespace plimsoll::bench
