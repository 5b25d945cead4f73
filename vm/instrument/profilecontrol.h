// Control of a profile while the program runs: what jcmd's Profile.* commands and the MBean
// com.sun.management:type=DiagnosticCommand do. All functions: running state, one at a time; they stop
// the world. False: *error is a sentence without a newline.
#ifndef CABERNET_VM_PROFILECONTROL_H
#define CABERNET_VM_PROFILECONTROL_H

#include <stdio.h>

#include "vm/api/thread.h"
#include "vm/model/class.h"

typedef enum ProfileCommand {
    PROFILE_START,  // the profile that `text` asks for (as behind -Xprofile:); or goes on with the one that was
                    // stopped, then without text
    PROFILE_STOP,   // records nothing until the next start; what was recorded is written at the end. No text
    PROFILE_SET,    // changes sampling: "interval=N:jitter=N:burst=N", what is named of them
    PROFILE_DUMP,   // writes what there is now into the file `text`; NULL: the one that the end will replace
} ProfileCommand;
// True if there is a profile that commands can change. False with *error. Any thread; neither blocks nor allocates.
bool profilecontrol_there_is(char *error, size_t size);
bool profilecontrol(Thread *self, ProfileCommand command, const char *text, char *error, size_t size);
// from=main: a profile that `text`, which stays, asks for begins when the program's main is called. Before the VM runs.
void profilecontrol_at_main(const char *text);
// Static method m was asked for through JNI, or is about to be called by reflection; its class may not be initialised yet. Running; stops the world when m is the main that is waited for.
// An InternalError is pending when the profile cannot be started.
void profilecontrol_called(Thread *self, const Method *m, bool reflected);
void profilecontrol_status(Thread *self, FILE *out);

#endif
