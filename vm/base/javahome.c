// Finding the JDK. A directory is accepted if it has lib/modules and its `release` file says 17, because the VM
// implements the natives of that version.
#include "vm/base/javahome.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JVM_DIRECTORY "/usr/lib/jvm"

// Feature release named in home/release; 0: no class library there.
static int release_of(const char *home) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/lib/modules", home);
    if (access(path, R_OK) != 0) return 0;
    snprintf(path, sizeof path, "%s/release", home);
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    char line[512];
    int release = 0;
    while (!release && fgets(line, sizeof line, f))
        if (sscanf(line, "JAVA_VERSION=\"%d", &release) != 1) release = 0;
    fclose(f);
    return release;
}

static char *accept(const char *home) { return release_of(home) == 17 ? realpath(home, NULL) : NULL; }

// bin/java of a JDK is two levels below its home.
static char *home_of_program(const char *program) {
    char path[PATH_MAX];
    if (!realpath(program, path)) return NULL;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (!slash) return NULL;
        *slash = 0;
    }
    return accept(path);
}

static char *search_directory(void) {
    DIR *d = opendir(JVM_DIRECTORY);
    if (!d) return NULL;
    char best[PATH_MAX] = "", path[PATH_MAX];
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.') continue;
        if (snprintf(path, sizeof path, JVM_DIRECTORY "/%s", e->d_name) >= (int)sizeof path) continue;
        if (release_of(path) == 17 && (!*best || strcmp(path, best) > 0)) strcpy(best, path);
    }
    closedir(d);
    return *best ? accept(best) : NULL;
}

static char *search_path(void) {
    const char *path = getenv("PATH");
    char program[PATH_MAX];
    while (path && *path) {
        size_t n = strcspn(path, ":");
        snprintf(program, sizeof program, "%.*s/java", (int)n, path);
        char *home = access(program, X_OK) == 0 ? home_of_program(program) : NULL;
        if (home) return home;
        path += n + (path[n] == ':');
    }
    return NULL;
}

char *javahome_find(void) {
    const char *forced = getenv("CABERNET_JAVA_HOME");
    if (forced && *forced) {
        char *home = accept(forced);
        if (home) return home;
        int release = release_of(forced);
        if (release)
            fprintf(stderr, "Error: CABERNET_JAVA_HOME=%s is a JDK %d; cabernet needs a JDK 17\n", forced, release);
        else fprintf(stderr, "Error: CABERNET_JAVA_HOME=%s is not a JDK (no lib/modules)\n", forced);
        return NULL;
    }
    char *home = home_of_program("/proc/self/exe");
    const char *java_home = getenv("JAVA_HOME");
    if (!home && java_home && *java_home) home = accept(java_home);
    if (!home) home = search_directory();
    if (!home) home = search_path();
    if (!home)
        fputs("Error: no JDK 17 found under " JVM_DIRECTORY " or on the PATH\n"
              "Install one (Debian: apt-get install openjdk-17-jdk-headless), or set CABERNET_JAVA_HOME.\n",
              stderr);
    return home;
}

char *javahome_library_version(const char *home) {
    char path[PATH_MAX + 16], line[256], *version = NULL;
    snprintf(path, sizeof path, "%s/release", home ? home : "");
    FILE *in = fopen(path, "re");
    if (!in) return NULL;
    while (!version && fgets(line, sizeof line, in)) {
        char *end = strrchr(line, '"');
        if (strncmp(line, "JAVA_VERSION=\"", 14) != 0 || end < line + 14) continue;
        *end = '\0';
        version = strdup(line + 14);
    }
    fclose(in);
    return version;
}
