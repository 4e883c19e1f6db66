#include "heat/command_line.hpp"

int main(int argc, char** argv) {
    const auto ranks = plimsoll::heat::alone();
    return plimsoll::heat::run_program(argc, argv, "heat", *ranks);
}
