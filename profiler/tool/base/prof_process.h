// A running VM, and the profile that the tool starts in it. Requests go through the attach interface of the JDK's tools
// (as jcmd's do): a file .attach_pid<PID> and SIGQUIT make the VM listen on the socket /tmp/.java_pid<PID>.
#ifndef CABERNET_PROFILER_TOOL_BASE_PROF_PROCESS_H
#define CABERNET_PROFILER_TOOL_BASE_PROF_PROCESS_H

#include <stdbool.h>

enum { PROCESS_ANSWER = 4096, PROCESS_PATH = 64, PROCESS_NAME = 64 };

typedef struct ProfProcess {
    long pid;
    int watch;                     // pidfd: readable when the process has ended
    char directory[PROCESS_PATH];  // private to the tool and the VM; removed by prof_process_close
    char path[PROCESS_PATH + 16];  // the profile, in this directory
    char name[PROCESS_NAME];       // of the profile that is meant; "": the process's only one
    bool silent;                   // the last request got no answer
    bool left;                     // the VM may still write a file into the directory, which stays
} ProfProcess;

// From now on SIGINT, SIGTERM and SIGHUP only make prof_interrupted() true, and end waiting: for time to pass, and,
// from the second signal on, for an answer. A pipe that is closed is an error of writing.
void prof_catch_interrupts(void);
bool prof_interrupted(void);

// Finds the process that `text` names, and makes the directory. 0; or an exit code (1: `text` is not the number of a
// process, 2), with a message. `command` names the command of the tool. Always followed by prof_process_close.
int prof_process_open(ProfProcess *p, const char *command, const char *text);
// Makes the directory for a program that has not started. False with a message. Always followed by prof_process_close.
bool prof_process_prepare(ProfProcess *p);
void prof_process_close(ProfProcess *p);
bool prof_process_ended(const ProfProcess *p);
// Waits until the process has ended, or `seconds` have passed (negative: no limit), or the user interrupts. False: it
// has ended.
bool prof_process_wait(const ProfProcess *p, double seconds);

// Has the VM execute a diagnostic command. False with *answer (PROCESS_ANSWER bytes): a line that says why not.
bool prof_process_ask(ProfProcess *p, const char *command, char *answer);
// Starts a profile of `analyses`, a text as after -Xprofile: without file=, whose name is then p->name. False with
// *answer.
bool prof_process_start(ProfProcess *p, const char *analyses, char *answer);
// Has the VM write the profile p->name to p->path; recording continues. False with *answer.
bool prof_process_dump(ProfProcess *p, char *answer);
// Ends the profile that prof_process_start has started, and has it written to p->path. If the process has ended, the
// file is the one that it has written itself. False with *answer.
bool prof_process_end(ProfProcess *p, char *answer);

#endif
