// Calls of the JDK's libraries on the program's streams, which are recorded for shadows and replayed in them.
#ifndef CABERNET_VM_SHADOW_INPUTCALLS_H
#define CABERNET_VM_SHADOW_INPUTCALLS_H

// Replaces the calls of the JDK's libraries that are loaded now; repeated when one is loaded. No-op without
// where=shadow. Not in a shadow.
void inputcalls_watch(void);

#endif
