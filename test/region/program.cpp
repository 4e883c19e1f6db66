// A program with regions, in C++11: its argument says what it does.

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "plimsoll/region.hpp"

extern "C" void part_in_c(void);

namespace {

/// Called from two translation units under one name.
void shared() { PLIMSOLL_REGION("shared"); }

void tree() {
    PLIMSOLL_REGION("main");
    for (int i = 0; i < 3; ++i) {
        PLIMSOLL_REGION("solve");
        PLIMSOLL_REGION("exchange");
    }
    PLIMSOLL_REGION("output");
}

void two_units() {
    PLIMSOLL_REGION("main");
    part_in_c();
    PLIMSOLL_REGION("in_c");
    shared();
}

void nap() { usleep(20000); }

void naps() {
    PLIMSOLL_REGION("main");
    nap();
    PLIMSOLL_REGION("inside");
    nap();
    nap();
}

/// Two threads that are there at the same time.
void threads() {
    const plimsoll::Region main("main");
    std::atomic<int> here(0);
    std::vector<std::thread> team;
    for (int i = 0; i < 2; ++i) {
        team.emplace_back([&main, &here] {
            const plimsoll::Region work("work", main);
            for (++here; here < 2;) std::this_thread::yield();
            nap();
        });
    }
    for (std::thread& thread : team) thread.join();
}

/// One after the other, each with a region left open.
void ended_threads() {
    PLIMSOLL_REGION("main");
    for (int i = 0; i < 5; ++i) std::thread([] { PLIMSOLL_REGION_BEGIN("work"); }).join();
}

/// A thread that goes on while the program ends.
void running_thread() {
    PLIMSOLL_REGION("main");
    std::thread([] {
        while (true) {
            PLIMSOLL_REGION("work");
            PLIMSOLL_REGION("part");
        }
    }).detach();
    nap();
}

[[noreturn]] void exit_inside() {
    PLIMSOLL_REGION("main");
    PLIMSOLL_REGION("failing");
    nap();
    std::exit(3);
}

void forked() {
    PLIMSOLL_REGION("main");
    const pid_t child = fork();
    if (child == 0) {
        PLIMSOLL_REGION("child");
        std::exit(0);
    }
    waitpid(child, nullptr, 0);
}

/// Parent and child both begin after the fork, and are two processes like any other.
void forked_first() {
    const pid_t child = fork();
    { PLIMSOLL_REGION("main"); }
    if (child != 0) waitpid(child, nullptr, 0);
}

void mismatched() {
    PLIMSOLL_REGION_END();
    PLIMSOLL_REGION("main");
    {
        PLIMSOLL_REGION("block");
        PLIMSOLL_REGION_BEGIN("forgotten");
        PLIMSOLL_REGION_BEGIN("forgotten too");
    }
    PLIMSOLL_REGION("after");
    for (int i = 0; i < 9; ++i) PLIMSOLL_REGION_END();
}

void recurse(int depth) {
    PLIMSOLL_REGION("f");
    if (depth > 1) recurse(depth - 1);
}

void recursion() {
    PLIMSOLL_REGION("main");
    recurse(1000);
    PLIMSOLL_REGION("after");
}

void names() {
    const plimsoll::Region quoted("say \"hi\" \\ \n");
    const plimsoll::Region made(std::string("made of ") + std::to_string(1));
    for (int i = 0; i < 4; ++i) {
        char buffer[16] = "step 0";
        buffer[5] = static_cast<char>('0' + i % 2);  // one address, two names
        const plimsoll::Region step(buffer);
    }
    const char* pointer = "\xff\xc3\xa9";
    const plimsoll::Region bytes(pointer);
    const plimsoll::Region empty("");
}

void repetitions() {
    PLIMSOLL_REGION("main");
    for (int n = 1; n <= 2; ++n) {
        plimsoll_region_parameters(("n=" + std::to_string(n)).c_str());
        for (int run = 0; run < 3; ++run) {
            { PLIMSOLL_REGION("solve"); }
            if (plimsoll_region_write() != 0) std::abort();
        }
    }
}

/// A name made anew in each iteration.
void endless_names() {
    PLIMSOLL_REGION("main");
    { PLIMSOLL_REGION("inside"); }
    for (int i = 1; i < 6000; ++i) {
        const plimsoll::Region step("step " + std::to_string(i));
        PLIMSOLL_REGION("inside");
    }
    { PLIMSOLL_REGION("inside"); }
    PLIMSOLL_REGION("after");
}

/// Much to write, so that processes which mixed their lines would show it.
void wide() {
    PLIMSOLL_REGION("main");
    for (int i = 0; i < 2000; ++i) {
        const plimsoll::Region part("part " + std::to_string(i));
    }
}

}  // namespace

int main(int argc, char** argv) {
    const std::map<std::string, void (*)()> parts = {
        {"tree", tree},
        {"two_units", two_units},
        {"naps", naps},
        {"threads", threads},
        {"ended_threads", ended_threads},
        {"running_thread", running_thread},
        {"exit_inside", exit_inside},
        {"forked", forked},
        {"forked_first", forked_first},
        {"mismatched", mismatched},
        {"recursion", recursion},
        {"names", names},
        {"endless_names", endless_names},
        {"repetitions", repetitions},
        {"wide", wide},
    };
    if (argc > 2) plimsoll_region_output(argv[2]);
    parts.at(argc > 1 ? argv[1] : "tree")();
    return 0;
}
