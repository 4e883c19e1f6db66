#include "counting.h"
#include "plimsoll/checkpoint.h"

int main(int argc, char** argv) { return count_and_save(argc, argv, plimsoll_checkpoint_init, 0); }
