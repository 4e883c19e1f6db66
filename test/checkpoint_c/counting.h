/* A program in C11 that counts in an array, saves every tenth step, and goes on where it was. */
#ifndef COUNTING_H
#define COUNTING_H

/* usage: PROGRAM FOLDER STEPS [KILL_AT]
   `begin` opens the folder, `rank` is where its numbers start. Ends by SIGKILL at step KILL_AT. Prints the rank, the
   step that it went on from (-1: none) and the sum at the end. Returns the exit status. */
int count_and_save(int argc, char** argv, int (*begin)(const char* folder), int rank);

#endif
