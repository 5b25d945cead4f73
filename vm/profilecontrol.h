// Control of a profile while the program runs: what jcmd's Profile.* commands and the MBean
// com.sun.management:type=DiagnosticCommand do. All functions: running state, one at a time; they stop
// the world. False: *error is a sentence without a newline.
#ifndef CABERNET_VM_PROFILECONTROL_H
#define CABERNET_VM_PROFILECONTROL_H

#include <stdio.h>

#include "vm/api/thread.h"

// Starts the profile that `text` asks for (as behind -Xprofile:); or goes on with the one that was
// stopped, then without text.
bool profilecontrol_start(Thread *self, const char *text, char *error, size_t size);
// Records nothing until the next start. What was recorded stays, and is written at the end.
bool profilecontrol_stop(Thread *self, char *error, size_t size);
// Changes sampling: "interval=N:jitter=N:burst=N", what is named of them.
bool profilecontrol_set(Thread *self, const char *text, char *error, size_t size);
// Writes what there is now into a file; NULL: the one that the end will replace.
bool profilecontrol_dump(Thread *self, const char *path, char *error, size_t size);
void profilecontrol_status(Thread *self, FILE *out);

#endif
