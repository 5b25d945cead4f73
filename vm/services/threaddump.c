// The full thread dump, in HotSpot's format, with a search for deadlocks. The world is stopped while the text is
// created in memory, and resumed before it is written, because the reader of our output may be a thread of this
// process. vm/services/threadlocks.h has the queries about locks.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "vm/api/stackwalk.h"
#include "vm/model/class.h"
#include "vm/loading/module.h"
#include "vm/objects/classes.h"
#include "vm/services/signal.h"
#include "vm/services/threadlocks.h"
#include "vm/model/vm.h"

enum { NAME = 256 };

// ---- small pieces --------------------------------------------------------------------------

static const char *state_text(int status) {
    switch (status) {
        case STATUS_NEW: return "NEW";
        case STATUS_TERMINATED: return "TERMINATED";
        case STATUS_BLOCKED: return "BLOCKED (on object monitor)";
        case STATUS_WAITING: return "WAITING (on object monitor)";
        case STATUS_TIMED_WAITING: return "TIMED_WAITING (on object monitor)";
        case STATUS_PARKED: return "WAITING (parking)";
        case STATUS_TIMED_PARKED: return "TIMED_WAITING (parking)";
        case STATUS_SLEEPING: return "TIMED_WAITING (sleeping)";
        default: return "RUNNABLE";
    }
}

static const char *activity(const Thread *t) {
    switch (t->block_kind) {
        case BLOCK_ENTER: return "waiting for monitor entry";
        case BLOCK_WAIT: return "in Object.wait()";
        case BLOCK_PARK:
        case BLOCK_SLEEP: return "waiting on condition";
        default: return "runnable";
    }
}

static void print_object(FILE *out, const Object *o) {
    Class *of = object_class(o) == WK(java_lang_Class) ? class_from_mirror(o) : NULL;
    fprintf(out, "<0x%016lx> (a %s%s%s)", (unsigned long)o, class_external_name(object_class(o)), of ? " for " : "",
            of ? class_external_name(of) : "");
}

// ---- frames --------------------------------------------------------------------------------

static void print_position(FILE *out, const StackWalk *w) {
    const Class *c = w->method->cls;
    const ModuleEntry *module = c->module;
    if (module && module_is_named(module))
        fprintf(out, "%s%s%s/", module->name->text, module->version ? "@" : "",
                module->version ? module->version->text : "");
    int line = stackwalk_line(w);
    if (w->is_native) fputs("Native Method", out);
    else if (!c->source_file) fputs("Unknown Source", out);
    else if (line < 0) fputs(c->source_file->text, out);
    else fprintf(out, "%s:%d", c->source_file->text, line);
}

static void print_waiting(FILE *out, const Thread *t) {
    if (!t->block_object) return;
    switch (t->block_kind) {
        case BLOCK_ENTER: fputs("\t- waiting to lock ", out); break;
        case BLOCK_WAIT: fputs("\t- waiting on ", out); break;
        case BLOCK_PARK: fputs("\t- parking to wait for  ", out); break;
        default: return;
    }
    print_object(out, t->block_object);
    fputc('\n', out);
}

static void print_stack(FILE *out, Thread *t) {
    StackWalk w;
    stackwalk_begin(&w, t);
    for (bool top = true; stackwalk_next(&w); top = false) {
        if (!w.method) continue;
        fprintf(out, "\tat %s.%s(", class_external_name(w.method->cls), w.method->name->text);
        print_position(out, &w);
        fputs(")\n", out);
        if (top) print_waiting(out, t);
        Object *locks[THREADLOCKS_MAX];
        int count = threadlocks_of_frame(t, &w, true, locks);
        for (int i = 0; i < count; i++) {
            fputs("\t- locked ", out);
            print_object(out, locks[i]);
            fputc('\n', out);
        }
    }
}

// ---- threads -------------------------------------------------------------------------------

// `ownables`: see threadlocks_ownables.
static void print_owned(FILE *out, const Thread *t, const Object *ownables) {
    bool none = true;
    fputs("\n   Locked ownable synchronizers:\n", out);
    for (int32_t i = 0; i < ownables->length; i++) {
        const Object *o = ARRAY_DATA(ownables, Object *)[i];
        if (!o || threadlocks_owner(o) != t->java_thread) continue;
        fputs("\t- ", out);
        print_object(out, o);
        fputc('\n', out);
        none = false;
    }
    if (none) fputs("\t- None\n", out);
}

static void print_thread(FILE *out, Thread *t, const ThreadDumpRequest *request) {
    char name[NAME];
    thread_name(t, name, sizeof name);
    Object *java = t->java_thread;
    long long tid = java ? (long long)get_long(java, (size_t)WK_OFF(java_lang_Thread, tid)) : 0;
    int priority = java ? get_int(java, (size_t)WK_OFF(java_lang_Thread, priority)) : 5;
    fprintf(out, "\"%s\" #%lld %sprio=%d os_prio=0 cpu=%.2fms elapsed=%.2fs ", name, tid, t->daemon ? "daemon " : "",
            priority, (double)thread_cpu_ns(t) / 1e6, (double)(thread_now() - t->start_time) / 1e9);
    if (request->extended)
        fprintf(out, "allocated=%lluB id=%u ", (unsigned long long)heap_cache_allocated_bytes(&t->heap), t->id);
    fprintf(out, "tid=0x%016lx nid=%#x %s  [0x%016lx]\n   java.lang.Thread.State: %s\n", (unsigned long)t,
            (unsigned)t->os_id, activity(t), (unsigned long)t->frame, state_text(thread_status(t)));
    print_stack(out, t);
    if (request->ownables) print_owned(out, t, request->ownables);
    fputc('\n', out);
}

// ---- deadlocks -----------------------------------------------------------------------------

static void print_cycle(FILE *out, Thread *first) {
    fputs("\nFound one Java-level deadlock:\n=============================\n", out);
    Thread *t = first;
    do {
        char name[NAME], holder[NAME];
        Object *lock = NULL;
        Thread *owner = threadlocks_waits_for(t, true, &lock);
        thread_name(t, name, sizeof name);
        thread_name(owner, holder, sizeof holder);
        bool monitor = t->block_kind == BLOCK_ENTER;
        fprintf(out, "\"%s\":\n  waiting %s 0x%016lx, %sa %s%s,\n  which is held by \"%s\"\n\n", name,
                monitor ? "to lock monitor of object" : "for ownable synchronizer", (unsigned long)lock,
                monitor ? "" : "(", class_external_name(object_class(lock)), monitor ? "" : ")", holder);
        t = owner;
    } while (t != first);
    fputs("Java stack information for the threads listed above:\n"
          "===================================================\n",
          out);
    do {
        char name[NAME];
        thread_name(t, name, sizeof name);
        fprintf(out, "\"%s\":\n", name);
        print_stack(out, t);
        t = threadlocks_waits_for(t, true, NULL);
    } while (t != first);
}

static void print_deadlocks(FILE *out) {
    int found = 0;
    for (Thread *t = threads.first; t; t = t->next) {
        if (!threadlocks_leads_cycle(t, true)) continue;
        print_cycle(out, t);
        found++;
    }
    if (found) fprintf(out, "\nFound %d deadlock%s.\n\n", found, found == 1 ? "" : "s");
}

// ---- the dump ------------------------------------------------------------------------------

typedef struct Output {
    const char *text;
    size_t size;
    FILE *out;
} Output;

static void write_output(void *output) {
    const Output *o = output;
    fwrite(o->text, 1, o->size, o->out);
    fflush(o->out);
}

void thread_dump_with(Thread *self, FILE *out, const ThreadDumpRequest *request) {
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return;
    safepoint_stop(self, "thread dump");
    char date[32];
    time_t now = time(NULL);
    struct tm local;
    strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", localtime_r(&now, &local));
    const char *name = options_property(&vm.options, "java.vm.name");
    const char *version = options_property(&vm.options, "java.vm.version");
    const char *info = options_property(&vm.options, "java.vm.info");
    fprintf(memory, "%s\nFull thread dump %s (%s %s):\n\n", date, name ? name : "cabernet", version ? version : "?",
            info ? info : "?");
    for (Thread *t = threads.first; t; t = t->next) print_thread(memory, t, request);
    print_deadlocks(memory);
    safepoint_resume(self);
    if (fclose(memory) == 0) {
        Output output = {text, size, out};
        if (self) thread_run_safe(self, THREAD_BLOCKED, write_output, &output);
        else write_output(&output);
    }
    free(text);
}

void thread_dump(Thread *self, FILE *out) { thread_dump_with(self, out, &(ThreadDumpRequest){.extended = false}); }
