// Control of profiles while the program runs, for jcmd's Profile.* commands and the MBean
// com.sun.management:type=DiagnosticCommand. Commands run in the running state, one at a time, and stop the world.
// False: *error is a sentence without a newline.
#ifndef CABERNET_VM_INSTRUMENT_PROFILECONTROL_H
#define CABERNET_VM_INSTRUMENT_PROFILECONTROL_H

#include <stdio.h>

#include "vm/api/profiler.h"
#include "vm/api/thread.h"
#include "vm/model/class.h"

typedef enum ProfileCommand {
    PROFILE_START,  // starts the profile of `text` (as after -Xprofile:), or resumes the stopped
                    // profile, without text
    PROFILE_STOP,   // records nothing until the next start; what was recorded is written at the end. No text
    PROFILE_SET,    // changes sampling: any of "interval=N:jitter=N:burst=N"
    PROFILE_DUMP,   // writes the present profile to the file `text`; NULL: to the profile's own file
    PROFILE_END,    // stops, writes as PROFILE_DUMP, and forgets the profile; another one can then start
} ProfileCommand;
// True if there is a profile that commands can change. False with *error. Any thread; neither blocks nor allocates.
bool profilecontrol_there_is(char *error, size_t size);
// `name`: the profile that is meant, or, for one that starts, its name; NULL: the only one, or its default name.
bool profilecontrol(Thread *self, ProfileCommand command, const char *name, const char *text, char *error, size_t size);
// from=main: the requested profile begins when the program's main is called. Before the VM runs.
void profilecontrol_at_main(ProfileRequest *request);
// Static method m was looked up through JNI, or (reflected) is about to be called by reflection. Its class may not be
// initialised yet. Running; stops the world when m is the awaited main. An InternalError is pending when the profile
// cannot be started.
void profilecontrol_calls(Thread *self, const Method *m, bool reflected);
// A line for each profile, or one that says that there is none.
void profilecontrol_status(Thread *self, FILE *out);

#endif
