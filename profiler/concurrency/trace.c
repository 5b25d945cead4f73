#include "profiler/concurrency/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profiler/concurrency/activity.h"
#include "vm/api/stamp.h"

enum { BUFFER = 1 << 18 };

bool trace_open(const char *path, char *error, size_t error_size) {
    FILE *out = fopen(path, "wbe");
    uint32_t header[2] = {TRACE_VERSION, TRACE_RECORD};
    if (!out) {
        snprintf(error, error_size, "cannot write to %s: %s", path, strerror(errno));
        return false;
    }
    setvbuf(out, NULL, _IOFBF, BUFFER);
    fwrite(TRACE_MAGIC, 8, 1, out);
    fwrite(header, sizeof header, 1, out);
    activity_of[0].trace = out;
    return true;
}

static void put(Activity *a, const TraceRecord *r, const char *text) {
    static const char zeros[TRACE_RECORD];
    FILE *out = a->trace;
    bool ok = fwrite(r, sizeof *r, 1, out) == 1;
    if (ok && text)
        ok = fwrite(text, r->a, 1, out) == 1 &&
            fwrite(zeros, (TRACE_RECORD - r->a % TRACE_RECORD) % TRACE_RECORD, 1, out) <= 1;
    if (ok) a->traced++;
    else a->trace_lost++;
}

void trace_event(Activity *of, TraceKind kind, uint64_t at, uint64_t thread, uint32_t a, uint32_t b, uint32_t c) {
    if (__builtin_expect(of->trace != NULL, 0)) put(of, &(TraceRecord){at, (uint32_t)thread, kind, a, b, c, 0}, NULL);
}

static void put_name(Activity *a, TraceKind kind, uint64_t at, uint32_t thread, uint32_t id, const char *text) {
    uint32_t n = (uint32_t)strlen(text);
    if (n) put(a, &(TraceRecord){at, thread, kind, n, id, 0, 0}, text);
}

void trace_thread(Activity *a, uint64_t thread, const char *name) {
    if (a->trace) put_name(a, TRACE_THREAD, stamp_now(), (uint32_t)thread, 0, *name ? name : "?");
}

static void put_names(Activity *a) {
    for (uint32_t i = 0; i < a->lock_count; i++) {
        const char *name = a->locks[i].cls && a->host->class_name ? a->host->class_name(a->locks[i].cls) : NULL;
        if (name) put_name(a, TRACE_CLASS_NAME, 0, 0, a->locks[i].cls, name);
    }
    for (uint32_t i = 1; i < a->context_count; i++) {
        ProfiledMethod m = {0};
        char text[512];
        if (!a->host->method(a->contexts[i].methods[0], &m) || !m.name) continue;
        int32_t line = a->host->line(a->contexts[i].methods[0], a->contexts[i].bcis[0]);
        snprintf(text, sizeof text, line >= 0 ? "%s.%s:%d" : "%s.%s", m.class_name, m.name, line);
        put_name(a, TRACE_PLACE_NAME, 0, 0, i, text);
    }
}

void trace_close(void) {
    Activity *a = &activity_of[0];
    if (!a->trace) return;
    put_names(a);
    put(a, &(TraceRecord){stamp_now(), 0, TRACE_END, (uint32_t)a->traced, 0, 0, 0}, NULL);
    if (fclose(a->trace) != 0) a->trace_lost++;
    a->trace = NULL;
}
