// Files that are installed with the program.
#ifndef CABERNET_PROFILER_TOOL_BASE_PROF_SHIPPED_H
#define CABERNET_PROFILER_TOOL_BASE_PROF_SHIPPED_H

// The path of the file or folder `name` in the build's lib folder, or where `make install` puts it. malloc'd; NULL: it
// does not exist.
char *prof_shipped(const char *name);

#endif
