// Diagnostic commands: the table of diagnostics.def, the parsing of command lines, and the output of each command.
// Commands run on the Attach Listener or on the thread that uses the MBean.
#include "vm/management/diagnostics.h"

#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "gc/heap.h"
#include "vm/adaptive/snapshots.h"
#include "vm/adaptive/tiering.h"
#include "vm/base/log.h"
#include "vm/model/class.h"
#include "vm/linking/classinit.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/runtime/invoke.h"
#include "vm/loading/loader.h"
#include "vm/management/memorypool.h"
#include "vm/management/recording.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/profilecontrol.h"
#include "vm/loading/module.h"
#include "vm/services/heapdump.h"
#include "vm/services/signal.h"
#include "vm/objects/string.h"
#include "vm/objects/symbol.h"
#include "vm/services/threadlocks.h"
#include "vm/model/vm.h"
#include "vm/management/vmflags.h"

typedef struct Request {
    const Diagnostic *command;
    bool given[DIAGNOSTIC_OPTIONS];
    int64_t number[DIAGNOSTIC_OPTIONS];    // of given options that are numbers
    const char *text[DIAGNOSTIC_OPTIONS];  // of options that are strings; NULL: not given
    const char *argument;                  // NULL: none
    char *words;  // for a command with many arguments: properties joined by commas; with two: NAME=VALUE
    FILE *out;
    bool refused;  // set by the runner after printing the reason
} Request;

typedef void Runner(Thread *self, Request *r);

// ---- the table ---------------------------------------------------------------------------------

#define DIAGNOSTIC(id, name, impact, permission, help) static Runner run_##id;
#include "vm/management/diagnostics.def"

enum {
#define DIAGNOSTIC(id, name, impact, permission, help) ROW_##id,
#include "vm/management/diagnostics.def"
    ROWS
};

static const Diagnostic rows[ROWS] = {
#define DIAGNOSTIC(id, name_, impact_, permission_, help_) \
    [ROW_##id].name = name_, [ROW_##id].impact = impact_, [ROW_##id].permission = permission_, [ROW_##id].help = help_,
#define DIAGNOSTIC_OPTION(id, position, name_, help_) [ROW_##id].options[position] = {name_, help_, DIAGNOSTIC_BOOLEAN},
#define DIAGNOSTIC_NUMBER(id, position, name_, help_) [ROW_##id].options[position] = {name_, help_, DIAGNOSTIC_INT},
#define DIAGNOSTIC_TEXT(id, position, name_, help_) [ROW_##id].options[position] = {name_, help_, DIAGNOSTIC_STRING},
#define DIAGNOSTIC_MANDATORY(id, name_, help_) DIAGNOSTIC_ARGUMENT(id, name_, help_)[ROW_##id].mandatory = true,
#define DIAGNOSTIC_ARGUMENT(id, name_, help_) [ROW_##id].argument = name_, [ROW_##id].argument_help = help_,
#define DIAGNOSTIC_SECOND(id, name_, help_) [ROW_##id].second = name_, [ROW_##id].second_help = help_,
#define DIAGNOSTIC_WORDS(id, name_, help_) DIAGNOSTIC_ARGUMENT(id, name_, help_)[ROW_##id].many = true,
#include "vm/management/diagnostics.def"
};

static Runner *const runners[ROWS] = {
#define DIAGNOSTIC(id, name, impact, permission, help) run_##id,
#include "vm/management/diagnostics.def"
};

const char *const diagnostic_kinds[][2] = {[DIAGNOSTIC_BOOLEAN] = {"BOOLEAN", "false"},
                                           [DIAGNOSTIC_INT] = {"INT", "1"},
                                           [DIAGNOSTIC_STRING] = {"STRING", NULL}};

size_t diagnostics_count(void) { return ROWS; }

const Diagnostic *diagnostics_get(size_t i) { return &rows[i]; }

const Diagnostic *diagnostics_find(const char *name, size_t length) {
    for (int i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0) return &rows[i];
    return NULL;
}

// ---- command lines -----------------------------------------------------------------------------

static bool fail(char **error, const char *format, const char *a, const char *b) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (asprintf(error, format, a, b) < 0) *error = NULL;
#pragma GCC diagnostic pop
    return false;
}

// "-name" or "-name=true": index of the option; -1: not an option.
static int find_option(const Diagnostic *d, const char *word, const char **value) {
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    *value = equals ? equals + 1 : NULL;
    for (int i = 0; i < DIAGNOSTIC_OPTIONS; i++) {
        const char *name = d->options[i].name;
        if (name && strlen(name) == length && memcmp(name, word, length) == 0) return i;
    }
    return -1;
}

static bool take_word(Request *r, const char *word, char **error) {
    const char *value;
    int option = find_option(r->command, word, &value);
    if (option < 0) {
        if (r->command->many && strchr(word, '=')) {
            char *longer;
            if (asprintf(&longer, "%s%scom.sun.management.%s", r->words ? r->words : "", r->words ? "," : "", word) < 0)
                return fail(error, "%s%s", "out of memory", "");
            free(r->words);
            r->words = longer;
            return true;
        }
        if (r->command->second && r->argument && !r->words) {
            if (asprintf(&r->words, "%s=%s", r->argument, word) < 0) {
                r->words = NULL;
                return fail(error, "%s%s", "out of memory", "");
            }
            r->argument = r->words;
            return true;
        }
        if (!r->command->argument || r->command->many || r->argument || *word == '-')
            return fail(error, "Unknown argument '%s' in diagnostic command.", word, NULL);
        r->argument = word;
        return true;
    }
    if (r->command->options[option].kind == DIAGNOSTIC_STRING) {
        r->text[option] = value;
        if (value && *value) return true;
        return fail(error, "The argument '%s' needs a value.", r->command->options[option].name, "");
    }
    if (r->command->options[option].kind == DIAGNOSTIC_INT) {
        char *end = NULL;
        r->number[option] = value ? strtoll(value, &end, 10) : 1;
        r->given[option] = true;
        if (!value || (*value && !*end)) return true;
        return fail(error, "Integer parsing error in command argument '%s'. Could not parse: %s.",
                    r->command->options[option].name, value);
    }
    if (value && strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
        return fail(error, "Boolean parsing error in command argument '%s'. Could not parse: %s.",
                    r->command->options[option].name, value);
    r->given[option] = !value || strcmp(value, "true") == 0;
    return true;
}

DiagnosticOutcome diagnostics_execute(Thread *self, const char *line, FILE *out, char **error) {
    char *words = strdup(line), *rest = NULL;
    if (!words) {
        *error = NULL;
        return DIAGNOSTIC_MALFORMED;
    }
    char *word = strtok_r(words, " \t\r\n", &rest);
    Request r = {.out = out, .command = word ? diagnostics_find(word, strlen(word)) : NULL};
    bool ok = r.command != NULL;
    if (word && !ok) fail(error, "%s%s", "Unknown diagnostic command", "");
    else if (!word) ok = fail(error, "%s%s", "The diagnostic command is empty", "");
    while (ok && (word = strtok_r(NULL, " \t\r\n", &rest))) ok = take_word(&r, word, error);
    if (ok && r.command->mandatory && !r.argument)
        ok = fail(error, "The argument '%s' is mandatory.", r.command->argument, "");
    if (ok) runners[r.command - rows](self, &r);
    if (self->exception) exception_clear(self);
    free(r.words);
    free(words);
    return !ok ? DIAGNOSTIC_MALFORMED : r.refused ? DIAGNOSTIC_REFUSED : DIAGNOSTIC_DONE;
}

// ---- help --------------------------------------------------------------------------------------

static void explain(const Diagnostic *d, FILE *out) {
    bool has_options = d->options[0].name != NULL;
    fprintf(out, "%s\n%s\n\nImpact: %s\n\n", d->name, d->help, d->impact);
    if (d->permission) {
        if (strcmp(d->permission, "*") == 0) fputs("Permission: java.util.PropertyPermission(*, read)\n\n", out);
        else fprintf(out, "Permission: java.lang.management.ManagementPermission(%s)\n\n", d->permission);
    }
    fprintf(out, "Syntax : %s%s", d->name, has_options ? " [options]" : "");
    if (d->argument) fprintf(out, d->mandatory ? " <%s>" : " [<%s>]", d->argument);
    if (d->second) fprintf(out, " [<%s>]", d->second);
    fputc('\n', out);
    if (d->argument)
        fprintf(out, "\nArguments:\n\t%s : %s %s (STRING, no default value)\n", d->argument,
                d->mandatory ? "" : "[optional]", d->argument_help);
    if (d->second) fprintf(out, "\t%s : [optional] %s (STRING, no default value)\n", d->second, d->second_help);
    if (!has_options) return;
    fputs("\nOptions: (options must be specified using the <key> or <key>=<value> syntax)\n", out);
    for (int i = 0; i < DIAGNOSTIC_OPTIONS && d->options[i].name; i++)
        fprintf(out, "\t%s : [optional] %s (%s, %s)\n", d->options[i].name, d->options[i].help,
                diagnostic_kinds[d->options[i].kind][0],
                diagnostic_kinds[d->options[i].kind][1] ? diagnostic_kinds[d->options[i].kind][1] : "no default value");
}

static void run_help(Thread *self, Request *r) {
    (void)self;
    bool all = r->given[0] || (r->argument && strcmp(r->argument, "all") == 0);
    const Diagnostic *d = r->argument ? diagnostics_find(r->argument, strlen(r->argument)) : NULL;
    if (all) {
        for (int i = 0; i < ROWS; i++) {
            if (i > 0) fputc('\n', r->out);
            explain(&rows[i], r->out);
        }
    } else if (d) {
        explain(d, r->out);
    } else if (r->argument) {
        fprintf(r->out, "Help unavailable : '%s' : No such command\n", r->argument);
    } else {
        fputs("The following commands are available:\n", r->out);
        for (int i = 0; i < ROWS; i++) fprintf(r->out, "%s\n", rows[i].name);
        fputs("\nFor more information about a specific command use 'help <command>'.\n", r->out);
    }
}

// ---- threads -----------------------------------------------------------------------------------

void diagnostics_thread_dump(Thread *self, bool with_locks, bool extended, FILE *out) {
    ThreadDumpRequest request = {.extended = extended};
    if (with_locks) request.ownables = threadlocks_ownables(self);
    if (self->exception) exception_clear(self);
    thread_dump_with(self, out, &request);
}

static void run_thread_print(Thread *self, Request *r) {
    diagnostics_thread_dump(self, r->given[0], r->given[1], r->out);
}

// ---- the heap ----------------------------------------------------------------------------------

enum { PROFILE_CLASSES = 40 };          // rows of Profile.heap
#define ROW "%14llu %5.1f %% %12llu  "  // its bytes, share, objects

typedef struct ClassCount {
    Class *cls;  // the key, so the first member
    uint64_t instances, bytes;
} ClassCount;

typedef struct Histogram {
    ClassCount *counts;
    size_t count, capacity;
    HashTable table;  // index in counts + 1, by class
} Histogram;

// World stopped. When out of memory the count is too low, since nothing else can be done here.
static void count_object(void *arg, void *object, size_t bytes) {
    Histogram *h = arg;
    Class *c = object_class(object);
    uint32_t hash = hash_pointer(c);
    HashRecords records = {h->counts, sizeof *h->counts};
    uintptr_t known = hash_find(&h->table, &hash_by_pointer, &records, hash, c);
    if (!known) {
        if (!GROW(h->counts, h->capacity, h->count + 1)) return;
        h->counts[h->count] = (ClassCount){.cls = c};
        known = h->count + 1;
        records.records = h->counts;
        if (!hash_add(&h->table, &hash_by_pointer, &records, hash, known)) return;
        h->count++;
    }
    ClassCount *count = &h->counts[known - 1];
    count->instances++;
    count->bytes += bytes;
}

static int by_bytes(const void *a, const void *b) {
    const ClassCount *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return strcmp(x->cls->name->text, y->cls->name->text);
}

static void print_count(FILE *out, size_t number, const ClassCount *count) {
    const ModuleEntry *module = count->cls->module;
    if (class_is_array(count->cls)) module = count->cls->element->module;
    fprintf(out, "%4zu: %13llu %14llu  %s", number, (unsigned long long)count->instances,
            (unsigned long long)count->bytes, class_external_name(count->cls));
    if (module && module_is_named(module))
        fprintf(out, " (%s%s%s)", module->name->text, module->version ? "@" : "",
                module->version ? module->version->text : "");
    fputc('\n', out);
}

// Collects; the caller frees `counts` and `table`.
static Histogram count_objects(Thread *self) {
    Histogram h = {0};
    heap_walk(&self->heap, count_object, &h);
    if (h.count) qsort(h.counts, h.count, sizeof *h.counts, by_bytes);
    return h;
}

void diagnostics_class_histogram(Thread *self, FILE *out) {
    Histogram h = count_objects(self);
    uint64_t instances = 0, bytes = 0;
    fputs(" num     #instances         #bytes  class name (module)\n"
          "-------------------------------------------------------\n",
          out);
    for (size_t i = 0; i < h.count; i++) {
        print_count(out, i + 1, &h.counts[i]);
        instances += h.counts[i].instances;
        bytes += h.counts[i].bytes;
    }
    fprintf(out, "Total %13llu %14llu\n", (unsigned long long)instances, (unsigned long long)bytes);
    free(h.counts);
    hash_free(&h.table);
}

static void run_class_histogram(Thread *self, Request *r) { diagnostics_class_histogram(self, r->out); }

static void run_profile_heap(Thread *self, Request *r) {
    Histogram h = count_objects(self);
    ClassCount all = {0}, rest = {0};
    size_t shown = r->given[0] || h.count < PROFILE_CLASSES ? h.count : PROFILE_CLASSES;
    for (size_t i = 0; i < h.count; i++) {
        all.instances += h.counts[i].instances;
        all.bytes += h.counts[i].bytes;
        if (i < shown) continue;
        rest.instances += h.counts[i].instances;
        rest.bytes += h.counts[i].bytes;
    }
    fprintf(r->out, "%llu live objects of %zu classes, %llu bytes\n\n         bytes   share      objects  class\n",
            (unsigned long long)all.instances, h.count, (unsigned long long)all.bytes);
    for (size_t i = 0; i < shown; i++) {
        const Class *c = h.counts[i].cls;
        fprintf(r->out, ROW "%s", (unsigned long long)h.counts[i].bytes,
                100 * (double)h.counts[i].bytes / (double)all.bytes, (unsigned long long)h.counts[i].instances,
                class_external_name(class_is_array(c) ? c->element : c));
        for (int k = 0; k < c->dims; k++) fputs("[]", r->out);
        fputc('\n', r->out);
    }
    if (shown < h.count)
        fprintf(r->out, ROW "%zu other classes (-all lists them)\n", (unsigned long long)rest.bytes,
                100 * (double)rest.bytes / (double)all.bytes, (unsigned long long)rest.instances, h.count - shown);
    free(h.counts);
    hash_free(&h.table);
}

static void run_heap_dump(Thread *self, Request *r) {
    char error[HPROF_ERROR];
    int64_t level = r->given[1] ? r->number[1] : 0;
    bool valid = !r->given[1] || (level >= 1 && level <= 9);
    if (!valid) fprintf(r->out, "Compression level out of range (1-9): %lld\n", (long long)level);
    HeapDumpFile file = {.path = r->argument, .level = (int)level, .overwrite = r->given[2]};
    r->refused = !valid || !heapdump_write(self, &file, r->out, error);
}

static void run_heap_info(Thread *self, Request *r) {
    (void)self;
    HeapStats s;
    heap_stats(&s);
    MemoryFigures metadata = memorypool_usage(POOL_METADATA);
    fprintf(r->out, " conservative heap   total %zuK, used %zuK, max %zuK\n", s.committed >> 10, s.used >> 10,
            s.max >> 10);
    fprintf(r->out, "  collections %llu, %.3f ms in all, %lluK allocated since the start\n",
            (unsigned long long)s.collections, (double)s.collection_ns / 1e6, (unsigned long long)s.allocated >> 10);
    fprintf(r->out, " Metaspace       used %lldK, committed %lldK, %u classes\n", (long long)metadata.used >> 10,
            (long long)metadata.committed >> 10, loader_class_count() - loader_unloaded_count());
}

static void run_codecache(Thread *self, Request *r) {
    (void)self;
    tiering_print(r->out);
}

static void run_codelist(Thread *self, Request *r) {
    (void)self;
    tiering_print_list(r->out);
}

static void run_deoptimize(Thread *self, Request *r) {
    (void)r;
    code_invalidate_all(self);
}

// ---- profiles -----------------------------------------------------------------------------------

static void control_profile(Thread *self, Request *r, ProfileCommand command) {
    char error[512];
    if (profilecontrol(self, command, r->text[0], r->argument, error, sizeof error)) return;
    fprintf(r->out, "%s\n", error);
    r->refused = true;
}

static void run_profile_start(Thread *self, Request *r) { control_profile(self, r, PROFILE_START); }
static void run_profile_stop(Thread *self, Request *r) { control_profile(self, r, PROFILE_STOP); }
static void run_profile_set(Thread *self, Request *r) { control_profile(self, r, PROFILE_SET); }
static void run_profile_dump(Thread *self, Request *r) { control_profile(self, r, PROFILE_DUMP); }
static void run_profile_end(Thread *self, Request *r) { control_profile(self, r, PROFILE_END); }
static void run_profile_snapshot(Thread *self, Request *r) {
    (void)self;
    char error[128] = "out of memory";
    ProfileSnapshot *s = profilecontrol_there_is(error, sizeof error) ? snapshots_take(true) : NULL;
    if (!s) {
        fprintf(r->out, "%s\n", error);
        r->refused = true;
        return;
    }
    fprintf(r->out,
            "snapshot %llu, %zu bytes: %zu calls, %zu receivers, %zu branches, %zu field accesses, %zu fields\n",
            (unsigned long long)s->version, s->bytes, s->calls.count, s->receivers.count, s->branches.count,
            s->accesses.count, s->field_count);
    snapshot_release(s);
}
static void run_profile_status(Thread *self, Request *r) { profilecontrol_status(self, r->out); }

static void run_gc(Thread *self, Request *r) {
    (void)r;
    if (!vm.options.disable_explicit_gc) heap_collect(&self->heap, "Diagnostic Command");
}

// ---- recordings ----------------------------------------------------------------------------------

static void run_jfr_start(Thread *self, Request *r) {
    RecordingRequest request = {r->text[0], r->text[1], r->text[2], r->text[3]};
    r->refused = !recording_start(self, &request, r->out);
}

static void run_jfr_dump(Thread *self, Request *r) {
    RecordingRequest request = {.name = r->text[0], .filename = r->text[1]};
    r->refused = !recording_dump(self, &request, r->out);
}

static void run_jfr_stop(Thread *self, Request *r) {
    RecordingRequest request = {.name = r->text[0], .filename = r->text[1]};
    r->refused = !recording_stop(self, &request, r->out);
}

static void run_jfr_check(Thread *self, Request *r) { recording_check(self, r->out); }

// ---- VM information ----------------------------------------------------------------------------

static void run_command_line(Thread *self, Request *r) {
    (void)self;
    const char *command = options_property(&vm.options, "sun.java.command");
    const char *path = options_property(&vm.options, "java.class.path");
    fputs("VM Arguments:\n", r->out);
    if (vm.options.argument_count) fputs("jvm_args: ", r->out);
    for (size_t i = 0; i < vm.options.argument_count; i++) fprintf(r->out, "%s ", vm.options.arguments[i]);
    if (vm.options.argument_count) fputc('\n', r->out);
    fprintf(r->out, "java_command: %s\n", command ? command : "<unknown>");
    fprintf(r->out, "java_class_path (initial): %s\n", path && *path ? path : "<not set>");
    const char *launcher = options_property(&vm.options, "sun.java.launcher");
    fprintf(r->out, "Launcher Type: %s\n", launcher ? launcher : "generic");
}

static void run_flags(Thread *self, Request *r) {
    (void)self;
    if (r->given[0]) {
        fputs("[Global flags]\n", r->out);
        for (size_t i = 0; i < vmflags_count(); i++) {
            VMFlag f = vmflags_get(i);
            char value[32];
            snprintf(value, sizeof value, f.is_bool ? "%s" : "%.0s%lld", f.value ? "true" : "false",
                     (long long)f.value);
            fprintf(r->out, "%9s %-40s = %-40s %9s {%s}\n", f.is_bool ? "bool" : "intx", f.name, value, "{product}",
                    f.given            ? "command line"
                        : f.is_default ? "default"
                                       : "ergonomic");
        }
        return;
    }
    for (size_t i = 0; i < vmflags_count(); i++) {
        VMFlag f = vmflags_get(i);
        if (f.is_default) continue;
        vmflags_print(&f, r->out);
        fputc(' ', r->out);
    }
    fputc('\n', r->out);
}

bool diagnostics_properties(Thread *self, const char *method, FILE *out) {
    Class *support = loader_load(self, vm.boot_loader, symbol_of("jdk/internal/vm/VMSupport"));
    Method *m = support && class_ensure_initialized(self, support)
        ? class_find_declared_method(support, symbol_of(method), symbol_of("()[B"))
        : NULL;
    Object *bytes = m ? invoke_ref(self, m, ENTRY_VM, 0) : NULL;
    if (bytes) {
        fwrite(ARRAY_DATA(bytes, char), 1, (size_t)bytes->length, out);
        return true;
    }
    Object *e = exception_take(self);
    fprintf(out, "%s\n", e ? class_external_name(object_class(e)) : "not available");
    return false;
}

static void run_system_properties(Thread *self, Request *r) {
    diagnostics_properties(self, "serializePropertiesToByteArray", r->out);
}

// ---- the management agent ----------------------------------------------------------------------

#define AGENT_MODULE "jdk.management.agent"

// Its module may have to be loaded first. NULL: exception pending.
static Class *agent_class(Thread *self) {
    Object *name = string_from_utf8(self, AGENT_MODULE);
    Class *modules = name ? loader_load(self, vm.boot_loader, symbol_of("jdk/internal/module/Modules")) : NULL;
    if (!modules || !class_ensure_initialized(self, modules)) return NULL;
    Method *load = class_find_declared_method(modules, symbol_of("loadModule"),
                                              symbol_of("(Ljava/lang/String;)Ljava/lang/Module;"));
    if (!load || !invoke_ref(self, load, ENTRY_VM, 1, name)) return NULL;
    Class *agent = loader_load(self, vm.boot_loader, symbol_of("jdk/internal/agent/Agent"));
    return agent && class_ensure_initialized(self, agent) ? agent : NULL;
}

// Calls a static method of the agent, with a string if `desc` has a parameter; prints what it throws.
static Object *call_agent(Thread *self, Request *r, const char *method, const char *desc) {
    Class *agent = agent_class(self);
    Method *m = agent ? class_find_declared_method(agent, symbol_of(method), symbol_of(desc)) : NULL;
    Slot arg = {.o = NULL}, result = {.o = NULL};
    if (m && m->nargs == 1) arg.o = string_from_utf8(self, r->words ? r->words : "");
    if (m && !self->exception) invoke_method(self, m, &arg, &result, ENTRY_VM);
    Object *thrown = exception_take(self);
    if (thrown) exception_print(self, thrown, r->out);
    else if (!m) fputs("This class library has no management agent.\n", r->out);
    return thrown || !m || m->ret != 'L' ? NULL : result.o;
}

static void run_agent_start(Thread *self, Request *r) {
    call_agent(self, r, "startRemoteManagementAgent", "(Ljava/lang/String;)V");
}

static void run_agent_start_local(Thread *self, Request *r) { call_agent(self, r, "startLocalManagementAgent", "()V"); }

static void run_agent_stop(Thread *self, Request *r) { call_agent(self, r, "stopRemoteManagementAgent", "()V"); }

static void run_agent_status(Thread *self, Request *r) {
    char *text = string_to_utf8(call_agent(self, r, "getManagementAgentStatus", "()Ljava/lang/String;"));
    if (text) fprintf(r->out, "%s\n", text);
    free(text);
}

// ---- time and version --------------------------------------------------------------------------

static void run_uptime(Thread *self, Request *r) {
    (void)self;
    if (r->given[0]) {
        char date[64];
        log_date(date, sizeof date, false);
        fprintf(r->out, "%s: ", date);
    }
    fprintf(r->out, "%.3f s\n", (double)((uint64_t)thread_now() - vm.start_ns) / 1e9);
}

static void run_version(Thread *self, Request *r) {
    fprintf(r->out, "%s version %s\n", options_property(&vm.options, "java.vm.name"),
            options_property(&vm.options, "java.vm.version"));
    Class *c = loader_load(self, vm.boot_loader, symbol_of("java/lang/VersionProps"));
    Field *f = c && class_ensure_initialized(self, c)
        ? class_find_declared_field(c, symbol_of("java_version"), symbol_of("Ljava/lang/String;"))
        : NULL;
    char *version = f ? string_to_utf8(*(Object **)field_static_addr(f)) : NULL;
    if (version) fprintf(r->out, "JDK %s\n", version);
    free(version);
}

uint64_t diagnostics_compile_ns(void) { return tiering_compile_ns(); }
