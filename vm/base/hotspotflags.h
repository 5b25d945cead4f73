// HotSpot's -XX flags by name, for flags that have no meaning here: a command line that java accepts is accepted, and
// one that java rejects is rejected with the same message. Used while options are read, by one thread.
#ifndef CABERNET_VM_BASE_HOTSPOTFLAGS_H
#define CABERNET_VM_BASE_HOTSPOTFLAGS_H

#include <stdbool.h>

typedef enum HotspotFlag {
    HOTSPOTFLAG_TAKEN,    // accepted without effect; a warning says so if the flag requests output
    HOTSPOTFLAG_BAD,      // rejected; a message is on stderr
    HOTSPOTFLAG_UNKNOWN,  // HotSpot has no such flag
} HotspotFlag;

// Takes the text after "-XX:". unlocked_* tell which -XX:+Unlock...VMOptions came before.
HotspotFlag hotspotflags_take(const char *text, bool unlocked_diagnostic, bool unlocked_experimental);

// Is the number in "Name=value" within HotSpot's bounds for the flag? If not, HotSpot's message is on stderr. True if
// the value is not a number, the flag has no bounds, or there is no such flag.
bool hotspotflags_in_range(const char *text);

// Warns on stderr, as HotSpot does, when the flag in `text` may be removed in later versions.
void hotspotflags_warn_deprecated(const char *text);

#endif
