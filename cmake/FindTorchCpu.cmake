# libtorch for processors: defines Torch::Torch.
#
# Not find_package(Torch): what Debian installs for it looks for static libraries that it does not install, and its
# targets bring options for all of our code.
find_path(Torch_INCLUDE_DIR torch/nn.h PATH_SUFFIXES torch/csrc/api/include)
find_library(Torch_LIBRARY torch)
find_library(Torch_CPU_LIBRARY torch_cpu)
find_library(Torch_C10_LIBRARY c10)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TorchCpu
    REQUIRED_VARS Torch_LIBRARY Torch_CPU_LIBRARY Torch_C10_LIBRARY Torch_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "install libtorch-dev")
if(TorchCpu_FOUND AND NOT TARGET Torch::Torch)
    get_filename_component(torch_root "${Torch_INCLUDE_DIR}/../../../.." ABSOLUTE)
    add_library(Torch::Torch INTERFACE IMPORTED)
    set_target_properties(Torch::Torch PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES "${torch_root};${Torch_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${Torch_LIBRARY};${Torch_CPU_LIBRARY};${Torch_C10_LIBRARY}")
endif()
mark_as_advanced(Torch_INCLUDE_DIR Torch_LIBRARY Torch_CPU_LIBRARY Torch_C10_LIBRARY)
