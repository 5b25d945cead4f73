// The description of the machine, from uname, /proc and /sys.
#include "benchmarks/harness/machine.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "benchmarks/harness/pair.h"
#include "benchmarks/harness/run.h"

// The rest of the first line of the file that begins with `key`, without leading blanks and colons; or NULL. The caller
// frees it.
static char *line_of(const char *path, const char *key) {
    char *line = NULL, *found = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "re");
    while (in && !found && getline(&line, &size, in) > 0) {
        if (strncmp(line, key, strlen(key)) == 0) {
            const char *value = line + strlen(key);
            value += strspn(value, " \t:");
            found = strndup(value, strcspn(value, "\n"));
        }
    }
    if (in) fclose(in);
    free(line);
    return found;
}

static void put_line(json_t *object, const char *name, const char *path, const char *key) {
    char *value = line_of(path, key);
    json_object_set_new(object, name, value ? json_string(value) : json_null());
    free(value);
}

// The output of `COMMAND -version`, on either stream.
static json_t *version_of(const Configuration *c) {
    size_t n = 0;
    while (c->words[n]) n++;
    char **words = calloc(n + 2, sizeof *words);
    FILE *errors = tmpfile();
    char text[1000] = "";
    Run run = {0};
    if (!words || !errors) run_die("out of memory or temporary files", "");
    // A plan belongs to a program, so options that name one are left out.
    const Marks marks = {.layout = 1, .side = "a", .plan = NULL, .program = "version"};
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!strstr(c->words[i], "{plan}")) words[kept++] = pair_filled(c->words[i], &marks);
    words[kept] = strdup("-version");
    if (run_command(words, -1, fileno(errors), 30, &run) && run.status == 0) {
        ssize_t got = pread(fileno(errors), text, sizeof text - 1, 0);
        text[got > 0 ? got : 0] = 0;
        if (!text[0]) snprintf(text, sizeof text, "%s", run.output);
    }
    free(run.output);
    run_free_words(words);
    fclose(errors);
    json_t *value = text[0] ? json_string(text) : NULL;
    return value ? value : json_null();  // empty, or not UTF-8
}

json_t *machine_describe(const Campaign *c) {
    struct utsname u;
    json_t *m = json_object(), *versions = json_object();
    uname(&u);
    json_object_set_new(m, "id", json_string(u.nodename));
    json_object_set_new(m, "system", json_sprintf("%s %s %s", u.sysname, u.release, u.machine));
    json_object_set_new(m, "processors", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    put_line(m, "processor", "/proc/cpuinfo", "model name");
    put_line(m, "memory", "/proc/meminfo", "MemTotal");
    put_line(m, "load", "/proc/loadavg", "");
    put_line(m, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
    put_line(m, "turbo_off", "/sys/devices/system/cpu/intel_pstate/no_turbo", "");
    for (size_t i = 0; i < c->n_configurations; i++)
        json_object_set_new(versions, c->configurations[i].name, version_of(&c->configurations[i]));
    json_object_set_new(m, "versions", versions);
    return m;
}
