// The VM's flags under HotSpot's names (vm/management/vmflags.def), for jinfo, jcmd VM.flags and
// HotSpotDiagnosticMXBean. Any thread; nothing here allocates or blocks.
#ifndef CABERNET_VM_MANAGEMENT_VMFLAGS_H
#define CABERNET_VM_MANAGEMENT_VMFLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct VMFlag {
    const char *name;
    bool is_bool;
    int64_t value;    // bool: 0 or 1
    bool is_default;  // not given, and has its default value
    bool given;       // on the command line
    bool writeable;   // vmflags_set changes it
} VMFlag;

size_t vmflags_count(void);
VMFlag vmflags_get(size_t i);  // in alphabetical order
bool vmflags_find(const char *name, VMFlag *out);
// Changes a flag that may be set while the VM runs. False: unknown or constant.
bool vmflags_set(const char *name, bool value);
// Every flag with its value, as -XX:+PrintFlagsFinal prints them.
void vmflags_print_table(FILE *out);
void vmflags_print(const VMFlag *flag, FILE *out);  // "-XX:+Name" or "-XX:Name=7"

#endif
