// Actions when memory runs out (vm/services/outofmemory.h). Any thread; the first one counts.
#include "vm/services/outofmemory.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/model/vm.h"
#include "vm/services/halt.h"
#include "vm/services/heapdump.h"
#include "vm/services/services_internal.h"

// %p is the process id, %% a percent sign.
static void expand(const char *command, char *text, size_t cap) {
    size_t n = 0;
    for (const char *p = command; *p && n + 16 < cap; p++) {
        if (p[0] == '%' && p[1] == 'p') {
            n += (size_t)snprintf(text + n, cap - n, "%d", getpid());
            p++;
        } else {
            if (p[0] == '%' && p[1] == '%') p++;
            text[n++] = *p;
        }
    }
    text[n] = 0;
}

static void run(const char *command) {
    char text[4096];
    expand(command, text, sizeof text);
    printf("#   Executing /bin/sh -c \"%s\"...\n", text);
    fflush(stdout);
    pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", text, (char *)NULL);
        _exit(127);
    }
    if (child < 0) perror("cabernet: /bin/sh");
    else waitpid(child, NULL, 0);
}

static void run_all(void *commands) {
    char *rest = NULL;
    for (char *c = strtok_r(commands, ";", &rest); c; c = strtok_r(NULL, ";", &rest)) run(c + strspn(c, " "));
}

// -XX:HeapDumpPath is a file, or a directory for a file with the usual name.
static void dump_heap(Thread *self, const char *message) {
    const char *given = vm.options.heap_dump_path, *end = vm.options.heap_dump_level ? ".hprof.gz" : ".hprof";
    struct stat s;
    bool in_directory = given && *given && stat(given, &s) == 0 && S_ISDIR(s.st_mode);
    bool is_file = given && *given && !in_directory;
    const char *separator = in_directory && given[strlen(given) - 1] != '/' ? "/" : "";
    char *path = NULL;
    int length = is_file ? asprintf(&path, "%s", given)
                         : asprintf(&path, "%s%sjava_pid%d%s", in_directory ? given : "", separator, getpid(), end);
    printf("java.lang.OutOfMemoryError: %s\n", message);
    char error[HPROF_ERROR];
    if (length < 0) printf("Unable to create the heap dump: out of memory\n");
    else heapdump_write(self, &(HeapDumpFile){path, (int)vm.options.heap_dump_level, false}, stdout, error);
    fflush(stdout);
    if (length >= 0) free(path);
}

void outofmemory_report(Thread *self, const char *message) {
    const Options *o = &vm.options;
    if (!o->on_oom && !o->crash_on_oom && !o->exit_on_oom && !o->heap_dump_on_oom) return;
    if (atomic_exchange(&services.oom_reported, true)) return;
    if (o->heap_dump_on_oom) dump_heap(self, message);
    if (o->on_oom) {
        printf("#\n# java.lang.OutOfMemoryError: %s\n# -XX:OnOutOfMemoryError=\"%s\"\n", message, o->on_oom);
        char *commands = strdup(o->on_oom);
        if (commands) thread_run_safe(self, THREAD_BLOCKED, run_all, commands);
        free(commands);
    }
    if (o->crash_on_oom) {
        printf("Aborting due to java.lang.OutOfMemoryError: %s\n", message);
        fflush(stdout);
        if (o->abort_hook) o->abort_hook();
        abort();
    }
    if (o->exit_on_oom) {
        printf("Terminating due to java.lang.OutOfMemoryError: %s\n", message);
        halt(3);
    }
}
