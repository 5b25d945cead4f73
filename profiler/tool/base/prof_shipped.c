#include "profiler/tool/base/prof_shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/tool/base/prof_memory.h"

enum { PATH = 4096 };

char *prof_shipped(const char *name) {
    static const char *const folders[] = {"lib", "../lib/cabernet"};  // from the program's folder
    char program[PATH];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) return NULL;
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char *path;
        if (asprintf(&path, "%s/%s/%s", program, folders[i], name) < 0) prof_out_of_memory();
        if (access(path, F_OK) == 0) return path;
        free(path);
    }
    return NULL;
}
