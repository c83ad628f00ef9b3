/*
 * command_compare.h - `transferbench compare`: what HTTP costs against native paths, per size, and from
 * which size on.
 */
#ifndef TRANSFERBENCH_COMMAND_COMPARE_H
#define TRANSFERBENCH_COMMAND_COMPARE_H

/* The exit status. argv[0] is the command's name. */
extern int command_compare(int argc, char **argv);

#endif
