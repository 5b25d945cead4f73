// HotSpot's -XX flags by name, for those that have no meaning here: a command line that java accepts
// is accepted, and one that java refuses is refused in the same words. Used while options are read,
// by one thread.
#ifndef CABERNET_VM_HOTSPOTFLAGS_H
#define CABERNET_VM_HOTSPOTFLAGS_H

#include <stdbool.h>

typedef enum HotspotFlag {
    HOTSPOTFLAG_TAKEN,    // accepted, without effect; a warning says so where something was to be seen
    HOTSPOTFLAG_BAD,      // refused; a message is on stderr
    HOTSPOTFLAG_UNKNOWN,  // HotSpot has no such flag
} HotspotFlag;

// Looks at what follows "-XX:". unlocked_* say what -XX:+Unlock...VMOptions came before.
HotspotFlag hotspotflags_take(const char *text, bool unlocked_diagnostic, bool unlocked_experimental);

// Whether the number in "Name=value" is within HotSpot's bounds for the flag; otherwise its complaint is on stderr. True for
// what is no number, no flag with bounds, or no flag.
bool hotspotflags_in_range(const char *text);

// Warns on stderr, as HotSpot does, when the flag in `text` may go in later versions.
void hotspotflags_warn_deprecated(const char *text);

#endif
