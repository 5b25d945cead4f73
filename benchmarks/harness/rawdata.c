// Each record is appended by one write and flushed to the disk, so that a kill loses only the running job.
#include "benchmarks/harness/rawdata.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "benchmarks/harness/run.h"

static char *path_in(const char *dir, const char *name) {
    char *path;
    if (asprintf(&path, "%s/%s", dir, name) < 0) run_die("out of memory", "");
    return path;
}

// Reads the records of `text`; false at a line that is not a record.
static bool parse_lines(Records *r, const char *text) {
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        json_error_t error;
        json_t *record = json_loadb(text, (size_t)(end - text), 0, &error);
        if (!json_is_object(record) || json_array_append_new(r->list, record) != 0) return false;
        if (!r->description) r->description = json_object_get(record, "description");
    }
    return true;
}

static Text read_file(const char *path) {
    Text text = {0};
    FILE *in = fopen(path, "re");
    if (!in || !text_put_file(&text, in)) run_die("cannot read ", path);
    fclose(in);
    return text;
}

Records records_open(const char *dir, json_t *description) {
    Records r = {.list = json_array(), .fd = -1};
    if (mkdir(dir, 0777) != 0 && errno != EEXIST) run_die("cannot make the directory ", dir);
    char *path = path_in(dir, "records.jsonl");
    r.fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (r.fd < 0) run_die("cannot write ", path);
    // The children of a killed harness keep the file open until the kernel has killed them as well.
    for (int tries = 0; flock(r.fd, LOCK_EX | LOCK_NB) != 0; tries++) {
        if (tries == 50) run_die("another process measures into ", dir);
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    }
    Text text = read_file(path);
    const char *last = strrchr(text.at, '\n');
    size_t whole = last ? (size_t)(last + 1 - text.at) : 0;
    if (whole < text.length && ftruncate(r.fd, (off_t)whole) != 0)
        run_die("cannot take off the unfinished last line of ", path);
    text.at[whole] = 0;
    if (!parse_lines(&r, text.at)) run_die("not records: ", path);
    if (r.description && !json_equal(r.description, description))
        run_die("has the results of a campaign with another description: ", dir);
    free(text.at);
    free(path);
    return r;
}

void records_add(Records *r, json_t *record) {
    char *line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(12));
    Text text = {0};
    if (!line) run_die("a record cannot be written as JSON", "");
    text_put_string(&text, line);
    text_put_char(&text, '\n');
    // A full disk accepts a part first, and reports the error at the next attempt. The partial line is removed when the
    // campaign resumes.
    bool ok = true;
    for (size_t at = 0; at < text.length && ok;) {
        ssize_t n = write(r->fd, text.at + at, text.length - at);
        if (n >= 0) at += (size_t)n;
        else ok = errno == EINTR;
    }
    if (!ok || fdatasync(r->fd) != 0) run_die("cannot write records: ", strerror(errno));
    json_array_append_new(r->list, record);
    free(text.at);
    free(line);
}

void records_close(Records *r) {
    if (r->fd >= 0) close(r->fd);
    json_decref(r->list);
    *r = (Records){.fd = -1};
}

// ---- results ----------------------------------------------------------------------------------------

// Two descriptions may differ in the number and order of measurements, but not in their subjects.
static bool same_matter(json_t *a, json_t *b) {
    static const char *const keys[] = {"configurations", "programs", "baseline", "grain", "measure", "heap", "plans"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *x = json_object_get(a, keys[i]), *y = json_object_get(b, keys[i]);
        if (x != y && !(x && y && json_equal(x, y))) return false;
    }
    return true;
}

static void load(Records *all, const char *path) {
    struct stat s;
    bool directory = stat(path, &s) == 0 && S_ISDIR(s.st_mode);
    char *file = directory ? path_in(path, "records.jsonl") : strdup(path);
    Text text = read_file(file);
    Records one = {.list = json_array(), .fd = -1};
    json_error_t error;
    json_t *whole = json_loads(text.at, 0, &error), *records = json_object_get(whole, "records");
    char *last = text.length ? strrchr(text.at, '\n') : NULL;
    if (json_is_array(records)) {
        json_array_extend(one.list, records);
        one.description = json_object_get(json_array_get(records, 0), "description");
    } else {
        if (last) last[1] = 0;
        if (!last || !parse_lines(&one, text.at)) run_die("no results of a campaign: ", path);
    }
    if (!json_is_object(one.description)) run_die("no results of a campaign: ", path);
    if (all->description && !same_matter(all->description, one.description))
        run_die("has other configurations or programs than the results before it: ", path);
    json_array_extend(all->list, one.list);
    if (!all->description) all->description = json_object_get(json_array_get(all->list, 0), "description");
    json_decref(one.list);
    json_decref(whole);
    free(text.at);
    free(file);
}

Records records_load(char *const *paths, int n) {
    Records all = {.list = json_array(), .fd = -1};
    for (int i = 0; i < n; i++) load(&all, paths[i]);
    if (!all.description) run_die("no results are named", "");
    return all;
}

void records_save(const Records *r, const char *path, json_t *summary) {
    json_t *root = json_pack("{s:i, s:O, s:o, s:O}", "version", 1, "description", r->description, "summary", summary,
                             "records", r->list);
    Text temporary = {0};
    text_put_string(&temporary, path);
    text_put_string(&temporary, ".new");
    if (json_dump_file(root, temporary.at, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) != 0 ||
        rename(temporary.at, path) != 0)
        run_die("cannot write ", path);
    json_decref(root);
    free(temporary.at);
}
