// Open MPI's Fortran bindings call MPI's C functions by their PMPI_ names, past everybody who stands in for
// MPI_ ones. When the library is loaded, it points the bindings' tables of outside functions at ours; no
// other library's are touched. Way of GOTCHA (Lawrence Livermore National Laboratory):
// https://github.com/LLNL/GOTCHA
//
// Bindings that call MPI_ names need nothing.

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "plimsoll/mpi/detail/host.hpp"

namespace {

/// libmpi_mpifh for mpif.h and the modules, which also the newer module mpi_f08 calls.
bool is_fortran_binding(const char* path) { return std::strstr(path, "/libmpi_mpifh") != nullptr; }

/// Our function of that name, null where there is none; MPI's own do not count.
void* ours(const std::string& name) {
    Dl_info self{};
    Dl_info found{};
    if (dladdr(&plimsoll_region_host, &self) == 0) return nullptr;
    void* const library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return nullptr;
    void* const function = dlsym(library, name.c_str());
    dlclose(library);
    const bool is_ours =
        function != nullptr && dladdr(function, &found) != 0 && found.dli_fbase == self.dli_fbase;
    return is_ours ? function : nullptr;
}

/// The parts of a loaded library that say which of its words hold addresses of others' functions.
class Tables {
  public:
    explicit Tables(const dl_phdr_info& library) : base_(library.dlpi_addr) {
        for (std::size_t i = 0; i < library.dlpi_phnum; ++i)
            if (library.dlpi_phdr[i].p_type == PT_DYNAMIC)
                read(address<const ElfW(Dyn)>(base_ + library.dlpi_phdr[i].p_vaddr));
        if (entry_size_ == 0) entry_size_ = sizeof(ElfW(Rela));
    }

    /// Calls change(name, word) for each.
    template <class Change>
    void for_each(Change&& change) const {
        if (symbols_ == nullptr || names_ == nullptr || entry_size_ != sizeof(ElfW(Rela))) return;
        for (const Table& table : {calls_, addresses_}) {
            for (std::size_t i = 0; i < table.bytes / sizeof(ElfW(Rela)); ++i) {
                const ElfW(Rela)& entry = table.entries[i];
                const std::size_t symbol = ELF64_R_SYM(entry.r_info);
                if (symbol != 0)
                    change(names_ + symbols_[symbol].st_name, address<void*>(base_ + entry.r_offset));
            }
        }
    }

  private:
    struct Table {
        const ElfW(Rela) * entries = nullptr;
        std::size_t bytes = 0;
    };

    template <class Type>
    static Type* address(ElfW(Addr) value) {
        return reinterpret_cast<Type*>(value);  // NOLINT(performance-no-int-to-ptr): so the format has them
    }
    /// Some C libraries have added the base already.
    template <class Type>
    [[nodiscard]] Type* placed(ElfW(Addr) value) const {
        return address<Type>(value < base_ ? value + base_ : value);
    }

    void read(const ElfW(Dyn) * entry) {
        for (; entry->d_tag != DT_NULL; ++entry) {
            switch (entry->d_tag) {
                case DT_SYMTAB: symbols_ = placed<const ElfW(Sym)>(entry->d_un.d_ptr); break;
                case DT_STRTAB: names_ = placed<const char>(entry->d_un.d_ptr); break;
                case DT_JMPREL: calls_.entries = placed<const ElfW(Rela)>(entry->d_un.d_ptr); break;
                case DT_PLTRELSZ: calls_.bytes = entry->d_un.d_val; break;
                case DT_RELA: addresses_.entries = placed<const ElfW(Rela)>(entry->d_un.d_ptr); break;
                case DT_RELASZ: addresses_.bytes = entry->d_un.d_val; break;
                case DT_RELAENT: entry_size_ = entry->d_un.d_val; break;
                default: break;
            }
        }
    }

    ElfW(Addr) base_;
    const ElfW(Sym) * symbols_ = nullptr;
    const char* names_ = nullptr;
    Table calls_;
    Table addresses_;
    std::size_t entry_size_ = 0;
};

/// Writes a word that the loader may have made read-only; it stays writable.
void write_word(void** word, void* value) {
    const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(word) / size * size;
    void* const start =
        reinterpret_cast<void*>(page);  // NOLINT(performance-no-int-to-ptr): the page of a word
    if (mprotect(start, size, PROT_READ | PROT_WRITE) == 0) *word = value;
}

int redirect(dl_phdr_info* library, std::size_t /*size*/, void* /*data*/) {
    if (!is_fortran_binding(library->dlpi_name)) return 0;
    Tables(*library).for_each([](const char* name, void** word) {
        if (!std::string_view(name).starts_with("PMPI_")) return;
        void* const function = ours(name + 1);
        if (function != nullptr) write_word(word, function);
    });
    return 0;
}

/// Before main(), when all libraries of the program are loaded.
__attribute__((constructor)) void redirect_fortran_bindings() { dl_iterate_phdr(redirect, nullptr); }

}  // namespace
