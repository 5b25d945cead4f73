// Control of a profile while the program runs: what jcmd's Profile.* commands and the MBean
// com.sun.management:type=DiagnosticCommand do. All functions: running state, one at a time; they stop
// the world. False: *error is a sentence without a newline.
#ifndef CABERNET_VM_PROFILECONTROL_H
#define CABERNET_VM_PROFILECONTROL_H

#include <stdio.h>

#include "vm/api/thread.h"

typedef enum ProfileCommand {
    PROFILE_START,  // the profile that `text` asks for (as behind -Xprofile:); or goes on with the one that was
                    // stopped, then without text
    PROFILE_STOP,   // records nothing until the next start; what was recorded is written at the end. No text
    PROFILE_SET,    // changes sampling: "interval=N:jitter=N:burst=N", what is named of them
    PROFILE_DUMP,   // writes what there is now into the file `text`; NULL: the one that the end will replace
} ProfileCommand;
bool profilecontrol(Thread *self, ProfileCommand command, const char *text, char *error, size_t size);
void profilecontrol_status(Thread *self, FILE *out);

#endif
