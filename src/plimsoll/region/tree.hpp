#pragma once

/// The tree of call paths of each thread, and how regions are entered and left. C99 and C++11.
///
/// A thread alone writes to its tree, so the way in and out takes no lock. Other threads read it when it is
/// written out, which is why counters and links are stored by atomic operations; relaxed ones are plain
/// moves. What all translation units share are weak symbols: the linker keeps one of each.

// NOLINTBEGIN(misc-definitions-in-headers,modernize-deprecated-headers,modernize-redundant-void-arg,modernize-use-nullptr)
// NOLINTBEGIN(readability-identifier-naming,readability-non-const-parameter)
// This is C as well, and its definitions are weak or inline.

#ifndef __GNUC__
#error "plimsoll/region.hpp needs GCC, Clang or a compiler that follows them"
#endif

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#ifdef __cplusplus
#define PLIMSOLL_REGION_CAST(type, value) static_cast<type>(value)
#define PLIMSOLL_REGION_ADDRESS(pointer) reinterpret_cast<uintptr_t>(pointer)
extern "C" {
#else
#define PLIMSOLL_REGION_CAST(type, value) ((type)(value))
#define PLIMSOLL_REGION_ADDRESS(pointer) ((uintptr_t)(pointer))
#endif

/// One in the whole program, however many translation units define it.
#define PLIMSOLL_REGION_SHARED __attribute__((weak, visibility("default")))
#define PLIMSOLL_REGION_SHARED_COLD __attribute__((weak, visibility("default"), noinline, cold))

/// Of what follows, for a library that finds it in another program. One more with each change.
enum { plimsoll_region_layout = 1 };

/// Levels of a call path, and children of one region. What goes beyond is counted to the region that it is
/// in, so that endless recursion, or a name made anew in each iteration, takes neither all memory nor all
/// time.
enum { plimsoll_region_deepest = 250, plimsoll_region_most_children = 4096 };

/// What is counted for each call path.
enum { plimsoll_region_ticks, plimsoll_region_visits, plimsoll_region_sent, plimsoll_region_received };
enum { plimsoll_region_counters = 4 };

enum plimsoll_region_name_kind { plimsoll_region_literal, plimsoll_region_copied };

/// A call path as one thread has taken it.
struct plimsoll_region_node {
    const char* literal;                   ///< that the program calls it by; null if by names that are copied
    struct plimsoll_region_node* entered;  ///< the child entered last
    struct plimsoll_region_node* outer;    ///< what was open when this one was entered
    uint64_t counted[plimsoll_region_counters];  ///< ticks are its own, without those of regions inside
    struct plimsoll_region_node* parent;
    struct plimsoll_region_node* newest;  ///< child; its `next` is the oldest
    struct plimsoll_region_node* next;    ///< child of the same parent, in a ring
    char* name;
    uint64_t reported[plimsoll_region_counters];  ///< of `counted`, what is written already; the writer's
    int depth;
    int children;
};

/// The tree of a thread. One that begins after it has ended goes on with its tree.
struct plimsoll_region_thread {
    struct plimsoll_region_node root;  ///< has no name and stands for what is outside of all regions
    struct plimsoll_region_node* current;
    uint64_t last;      ///< when a region was entered or left last, in ticks
    uint64_t too_deep;  ///< regions open that have no node, since the tree is full
    int by_counter;     ///< ticks are those of the processor's counter, else nanoseconds
    int in_use;         ///< by a thread that has not ended
    struct plimsoll_region_thread* next;
};

enum plimsoll_region_mode { plimsoll_region_undecided, plimsoll_region_off, plimsoll_region_on };

/// How a preloaded library and the program that has regions find each other: the library defines a
/// `plimsoll_region_host`, the program looks for it by name and fills in what is its own.
struct plimsoll_region_meeting {
    int layout;
    int writes;                             ///< the library writes, for all ranks together
    struct plimsoll_region_state* library;  ///< the library's own state, for programs without regions
    struct plimsoll_region_state* program;
    struct plimsoll_region_thread* (*this_thread)(void);  ///< the tree of the calling thread, in `program`
};

/// What all threads share.
struct plimsoll_region_state {
    int mode;
    int lock;
    int by_counter;
    int has_key;
    pid_t process;  ///< that measures; a child made by fork() does not
    pthread_key_t key;
    uint64_t start_ticks;
    uint64_t start_ns;
    struct plimsoll_region_thread* threads;  ///< the newest first
    const struct plimsoll_region_meeting* host;
    char* path;        ///< null: as the environment says
    char* parameters;  ///< null: as the environment says
};

PLIMSOLL_REGION_SHARED struct plimsoll_region_state plimsoll_region_shared;
PLIMSOLL_REGION_SHARED __thread struct plimsoll_region_thread* plimsoll_region_own;

/// The file to write, with %p for the process id and %r for the rank; null or empty: measure nothing. To be
/// called before threads begin. The environment's PLIMSOLL_REGIONS holds where this is not called.
PLIMSOLL_REGION_SHARED_COLD void plimsoll_region_output(const char* path);
/// The values of the parameters, "p=4,n=1000". The environment's PLIMSOLL_PARAMETERS holds where this is not
/// called.
PLIMSOLL_REGION_SHARED_COLD void plimsoll_region_parameters(const char* parameters);
/// Appends what was measured since the last time, as one repetition more. 0, or an errno.
PLIMSOLL_REGION_SHARED_COLD int plimsoll_region_write(void);
/// The child of that name, made where there is none; null where the tree is full or memory is short. Literals
/// of one text at several addresses are several children, and are joined when written.
PLIMSOLL_REGION_SHARED struct plimsoll_region_node* plimsoll_region_find(struct plimsoll_region_node* parent,
                                                                         const char* name,
                                                                         enum plimsoll_region_name_kind kind);
/// The slow half of plimsoll_region_this_thread().
PLIMSOLL_REGION_SHARED_COLD struct plimsoll_region_thread* plimsoll_region_join(void);

// Functions of libc that strict C99 hides or that older ones keep in a library of their own.
static void* plimsoll_region_dlsym(void* library, const char* name) __attribute__((weakref("dlsym")));
static int plimsoll_region_key_create(pthread_key_t* key, void (*at_end)(void*))
    __attribute__((weakref("pthread_key_create")));
static int plimsoll_region_key_set(pthread_key_t key, const void* value)
    __attribute__((weakref("pthread_setspecific")));
struct plimsoll_region_timespec {
    long seconds;
    long nanoseconds;
};
extern int plimsoll_region_clock_gettime(int clock,
                                         struct plimsoll_region_timespec* now) __asm__("clock_gettime");

static inline uint64_t plimsoll_region_now_ns(void) {
    enum { monotonic = 1 };  // CLOCK_MONOTONIC of Linux
    struct plimsoll_region_timespec now = {0, 0};
    plimsoll_region_clock_gettime(monotonic, &now);
    return PLIMSOLL_REGION_CAST(uint64_t, now.seconds) * 1000000000U +
           PLIMSOLL_REGION_CAST(uint64_t, now.nanoseconds);
}

static inline uint64_t plimsoll_region_now(int by_counter) {
#if defined(__x86_64__) || defined(__i386__)
    if (__builtin_expect(by_counter, 1)) return __builtin_ia32_rdtsc();
#else
    (void)by_counter;
#endif
    return plimsoll_region_now_ns();
}

/// Adds to a counter of the calling thread's own tree.
static inline void plimsoll_region_add(uint64_t* counter, uint64_t amount) {
    __atomic_store_n(counter, *counter + amount, __ATOMIC_RELAXED);
}

/// Moves on to another node: time so far was that of the present one.
static inline void plimsoll_region_move(struct plimsoll_region_thread* thread,
                                        struct plimsoll_region_node* from, struct plimsoll_region_node* to,
                                        uint64_t now) {
    plimsoll_region_add(&from->counted[plimsoll_region_ticks], now - thread->last);
    __atomic_store_n(&thread->last, now, __ATOMIC_RELAXED);
    __atomic_store_n(&thread->current, to, __ATOMIC_RELAXED);
}

/// Zeroed memory in cache lines of its own, so that two threads' counters share none; it is never freed.
static inline void* plimsoll_region_memory(size_t size) {
    enum { line = 64 };
    char* const memory = PLIMSOLL_REGION_CAST(char*, calloc(1, size + 2 * line));
    return memory ? memory + line - PLIMSOLL_REGION_ADDRESS(memory) % line : NULL;
}

static inline struct plimsoll_region_node* plimsoll_region_new_node(struct plimsoll_region_node* parent,
                                                                    const char* name, const char* literal) {
    if (parent->depth >= plimsoll_region_deepest || parent->children >= plimsoll_region_most_children)
        return NULL;
    ++parent->children;
    const size_t size = sizeof(struct plimsoll_region_node) + strlen(name) + 1;
    struct plimsoll_region_node* const node =
        PLIMSOLL_REGION_CAST(struct plimsoll_region_node*, plimsoll_region_memory(size));
    if (!node) return NULL;
    node->name = PLIMSOLL_REGION_CAST(char*, PLIMSOLL_REGION_CAST(void*, node + 1));
    strcpy(node->name, name);
    node->literal = literal;
    node->parent = parent;
    node->depth = parent->depth + 1;
    node->next = parent->newest ? parent->newest->next : node;
    if (parent->newest) __atomic_store_n(&parent->newest->next, node, __ATOMIC_RELEASE);
    __atomic_store_n(&parent->newest, node, __ATOMIC_RELEASE);
    return node;
}

PLIMSOLL_REGION_SHARED struct plimsoll_region_node* plimsoll_region_find(
    struct plimsoll_region_node* parent, const char* name, enum plimsoll_region_name_kind kind) {
    // Regions mostly come in the order in which they came before, so the search begins behind the last.
    struct plimsoll_region_node* const last = parent->entered ? parent->entered : parent->newest;
    struct plimsoll_region_node* node = last;
    if (last) {
        do {
            node = node->next;
            const int fits =
                kind == plimsoll_region_literal ? node->literal == name : strcmp(node->name, name) == 0;
            if (fits) return parent->entered = node;
        } while (node != last);
    }
    node = plimsoll_region_new_node(parent, name, kind == plimsoll_region_literal ? name : NULL);
    if (node) parent->entered = node;
    return node;
}

/// The calling thread's tree; null where nothing is measured.
static inline struct plimsoll_region_thread* plimsoll_region_this_thread(void) {
    struct plimsoll_region_thread* const thread = plimsoll_region_own;
    if (__builtin_expect(!!thread, 1)) return thread;
    if (__atomic_load_n(&plimsoll_region_shared.mode, __ATOMIC_RELAXED) == plimsoll_region_off) return NULL;
    return plimsoll_region_join();
}

/// Enters the child of that name. Null where there can be none, which must still be left.
static inline struct plimsoll_region_node* plimsoll_region_enter(struct plimsoll_region_thread* thread,
                                                                 struct plimsoll_region_node* parent,
                                                                 const char* name,
                                                                 enum plimsoll_region_name_kind kind) {
    // Mostly it is the one entered last or the next one.
    struct plimsoll_region_node* node = parent->entered;
    if (node && node->literal != name) parent->entered = node = node->next;
    if (__builtin_expect(!node || node->literal != name || kind != plimsoll_region_literal, 0))
        node = plimsoll_region_find(parent, name, kind);
    if (__builtin_expect(!node || thread->too_deep > 0, 0)) {
        ++thread->too_deep;
        return NULL;
    }
    node->outer = thread->current;
    plimsoll_region_add(&node->counted[plimsoll_region_visits], 1);
    plimsoll_region_move(thread, thread->current, node, plimsoll_region_now(thread->by_counter));
    return node;
}

/// Leaves the innermost region, if there is one.
static inline void plimsoll_region_leave(struct plimsoll_region_thread* thread) {
    const uint64_t now = plimsoll_region_now(thread->by_counter);
    struct plimsoll_region_node* const node = thread->current;
    if (__builtin_expect(thread->too_deep > 0, 0)) {
        --thread->too_deep;
    } else if (__builtin_expect(!!node->outer, 1)) {
        plimsoll_region_move(thread, node, node->outer, now);
    }
}

/// Leaves the node and what is still open inside; nothing where it is not open.
static inline void plimsoll_region_unwind(struct plimsoll_region_thread* thread,
                                          const struct plimsoll_region_node* node) {
    const struct plimsoll_region_node* open = thread->current;
    while (open && open != node) open = open->outer;
    if (!open) return;
    thread->too_deep = 0;
    while (thread->current != node) plimsoll_region_leave(thread);
    plimsoll_region_leave(thread);
}

/// Leaves what plimsoll_region_enter returned.
static inline void plimsoll_region_close(struct plimsoll_region_thread* thread,
                                         const struct plimsoll_region_node* node) {
    if (__builtin_expect(thread->current == node && thread->too_deep == 0, 1))
        plimsoll_region_leave(thread);
    else if (node)
        plimsoll_region_unwind(thread, node);
    else if (thread->too_deep > 0)
        --thread->too_deep;
}

/// The node of this thread for the path of any other thread's; its present one where there is no other.
static inline struct plimsoll_region_node* plimsoll_region_mirrored(struct plimsoll_region_thread* thread,
                                                                    struct plimsoll_region_node* other) {
    struct plimsoll_region_node* top = other;
    while (top && top->parent) top = top->parent;
    if (!top) return thread->current;
    struct plimsoll_region_node* node = other;
    if (top != &thread->root) {
        // The path from the root down: levels are at most plimsoll_region_deepest.
        const struct plimsoll_region_node* levels[plimsoll_region_deepest + 1];
        int count = 0;
        for (const struct plimsoll_region_node* level = other; level->parent; level = level->parent)
            levels[count++] = level;
        node = &thread->root;
        while (count > 0 && node)
            node = plimsoll_region_find(node, levels[--count]->name, plimsoll_region_copied);
        if (!node) return thread->current;
    }
    // A region that is open already cannot be entered beside itself.
    for (const struct plimsoll_region_node* open = thread->current; open; open = open->outer)
        if (open->parent == node) return thread->current;
    return node;
}

static inline void plimsoll_region_begin(const char* literal) {
    struct plimsoll_region_thread* const thread = plimsoll_region_this_thread();
    if (thread) plimsoll_region_enter(thread, thread->current, literal, plimsoll_region_literal);
}

/// For names that are made while the program runs; slower, since they are compared letter by letter.
static inline void plimsoll_region_begin_named(const char* name) {
    struct plimsoll_region_thread* const thread = plimsoll_region_this_thread();
    if (thread) plimsoll_region_enter(thread, thread->current, name, plimsoll_region_copied);
}

static inline void plimsoll_region_end(void) {
    struct plimsoll_region_thread* const thread = plimsoll_region_own;
    if (thread) plimsoll_region_leave(thread);
}

/// Where this thread is, for plimsoll_region_begin_below() in the threads that work for it.
static inline struct plimsoll_region_node* plimsoll_region_here(void) {
    struct plimsoll_region_thread* const thread = plimsoll_region_this_thread();
    return thread ? thread->current : NULL;
}

/// Begins a region below that of another thread.
static inline void plimsoll_region_begin_below(struct plimsoll_region_node* parent, const char* literal) {
    struct plimsoll_region_thread* const thread = plimsoll_region_this_thread();
    if (thread)
        plimsoll_region_enter(thread, plimsoll_region_mirrored(thread, parent), literal,
                              plimsoll_region_literal);
}

#ifdef __cplusplus
}
#endif

// NOLINTEND(readability-identifier-naming,readability-non-const-parameter)
// NOLINTEND(misc-definitions-in-headers,modernize-deprecated-headers,modernize-redundant-void-arg,modernize-use-nullptr)
