// java.lang.management: flags of HotSpotDiagnosticMXBean and the DiagnosticCommand MBean.
#include <stdlib.h>
#include <string.h>

#include "vm/jni/handles.h"
#include "vm/management/diagnostics.h"
#include "vm/jvm/management.h"
#include "vm/management/vmflags.h"
#include "vm/services/heapdump.h"

// String[] of `count` names; NULL with an exception.
static jobjectArray new_names(JNIEnv *env, size_t count, const char *(*name_of)(size_t i)) {
    VM_ENTER(env);
    Object *names = management_new_array(self, "java/lang/String", (int32_t)count);
    for (size_t i = 0; names && i < count; i++) {
        Object *name = string_from_utf8(self, name_of(i));
        if (name) set_element(names, i, name);
        else names = NULL;
    }
    jobjectArray result = handle_local(self, names);
    VM_LEAVE();
    return result;
}

// ---- flags -------------------------------------------------------------------------------------

static const char *flag_name(size_t i) { return vmflags_get(i).name; }

jobjectArray jmm_GetVMGlobalNames(JNIEnv *env) { return new_names(env, vmflags_count(), flag_name); }

static bool fill_global(Thread *self, JmmGlobal *out, const VMFlag *flag) {
    Object *name = string_from_utf8(self, flag->name);
    if (!name) return false;
    *out = (JmmGlobal){.name = handle_local(self, name), .type = flag->is_bool ? JMM_BOOLEAN : JMM_LONG};
    out->bits = flag->writeable;
    if (flag->is_bool) out->value.z = flag->value != 0;
    else out->value.j = flag->value;
    out->origin = flag->given ? JMM_ORIGIN_COMMAND_LINE : flag->is_default ? JMM_ORIGIN_DEFAULT : JMM_ORIGIN_ERGONOMIC;
    return true;
}

static jint globals_by_name(Thread *self, const Object *names, JmmGlobal *globals, jint count) {
    jint found = 0;
    for (jint i = 0; i < names->length && i < count && !self->exception; i++) {
        char *name = string_to_utf8(ARRAY_DATA(names, Object *)[i]);
        VMFlag flag;
        globals[i].name = NULL;
        if (!name) throw_npe(self);
        else if (vmflags_find(name, &flag) && fill_global(self, &globals[i], &flag)) found++;
        free(name);
    }
    return found;
}

jint jmm_GetVMGlobals(JNIEnv *env, jobjectArray names, JmmGlobal *globals, jint count) {
    VM_ENTER(env);
    jint found = names ? globals_by_name(self, handle_get(names), globals, count) : 0;
    while (!names && found < count && (size_t)found < vmflags_count()) {
        VMFlag flag = vmflags_get((size_t)found);
        if (!fill_global(self, &globals[found], &flag)) break;
        found++;
    }
    VM_LEAVE();
    return found;
}

void jmm_SetVMGlobal(JNIEnv *env, jstring name_ref, jvalue value) {
    VM_ENTER(env);
    char *name = string_to_utf8(handle_get(name_ref));
    if (!name || !vmflags_set(name, value.z))
        throw_wk(self, "java/lang/IllegalArgumentException", "VM Option \"%s\" is not writeable", name ? name : "null");
    free(name);
    VM_LEAVE();
}

jint jmm_DumpHeap0(JNIEnv *env, jstring file, jboolean live) {
    (void)live;  // other objects are never dumped
    VM_ENTER(env);
    char *path = string_to_utf8(handle_get(file)), error[HPROF_ERROR];
    bool ok = path && heapdump_write(self, &(HeapDumpFile){.path = path}, NULL, error);
    if (!path) throw_wk(self, "java/lang/NullPointerException", "Output file name cannot be null.");
    else if (!ok) throw_wk(self, "java/io/IOException", "%s", error);
    free(path);
    VM_LEAVE();
    return ok ? 0 : -1;
}

// ---- diagnostic commands -----------------------------------------------------------------------

static const char *command_name(size_t i) { return diagnostics_get(i)->name; }

jobjectArray jmm_GetDiagnosticCommands(JNIEnv *env) { return new_names(env, diagnostics_count(), command_name); }

// NULL with an exception pending: no such command.
static const Diagnostic *find_command(Thread *self, const Object *name) {
    char *utf8 = string_to_utf8(name);
    const Diagnostic *d = utf8 ? diagnostics_find(utf8, strlen(utf8)) : NULL;
    if (!utf8) throw_wk(self, "java/lang/NullPointerException", "Command name cannot be null.");
    else if (!d) throw_wk(self, "java/lang/IllegalArgumentException", "Unknown diagnostic command");
    free(utf8);
    return d;
}

void jmm_GetDiagnosticCommandInfo(JNIEnv *env, jobjectArray names_ref, JmmCommand *infos) {
    VM_ENTER(env);
    Object *names = handle_get(names_ref);
    if (!names) throw_npe(self);
    for (int32_t i = 0; names && i < names->length; i++) {
        const Diagnostic *d = find_command(self, ARRAY_DATA(names, Object *)[i]);
        if (!d) break;
        int arguments = (d->argument != NULL) + (d->second != NULL);
        for (int k = 0; k < DIAGNOSTIC_OPTIONS; k++) arguments += d->options[k].name != NULL;
        infos[i] = (JmmCommand){.name = d->name,
                                .description = d->help,
                                .impact = d->impact,
                                .argument_count = arguments,
                                .enabled = JNI_TRUE};
        if (d->permission) {
            bool properties = strcmp(d->permission, "*") == 0;
            infos[i].permission_class = properties ? "java.util.PropertyPermission"
                                                   : "java.lang.management.ManagementPermission";
            infos[i].permission_name = d->permission;
            if (properties) infos[i].permission_action = "read";
        }
    }
    VM_LEAVE();
}

void jmm_GetDiagnosticCommandArgumentsInfo(JNIEnv *env, jstring name, JmmArgument *infos, jint count) {
    VM_ENTER(env);
    const Diagnostic *d = find_command(self, handle_get(name));
    int n = 0;
    if (d && d->argument && n < count)
        infos[n++] = (JmmArgument){.name = d->argument,
                                   .description = d->argument_help,
                                   .type = "STRING",
                                   .position = 0,
                                   .mandatory = d->mandatory};
    if (d && d->second && n < count)
        infos[n++] = (JmmArgument){.name = d->second, .description = d->second_help, .type = "STRING", .position = 1};
    for (int i = 0; d && i < DIAGNOSTIC_OPTIONS && d->options[i].name && n < count; i++)
        infos[n++] = (JmmArgument){.name = d->options[i].name,
                                   .description = d->options[i].help,
                                   .type = diagnostic_kinds[d->options[i].kind][0],
                                   .default_value = diagnostic_kinds[d->options[i].kind][1],
                                   .is_option = JNI_TRUE,
                                   .position = -1};
    VM_LEAVE();
}

// The reason of a refusal is the last line of what the command has printed.
static void throw_last_line(Thread *self, char *text) {
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n') text[--length] = '\0';
    const char *before = strrchr(text, '\n');
    throw_wk(self, "java/lang/IllegalStateException", "%s", before ? before + 1 : text);
}

static Object *execute(Thread *self, const char *line) {
    char *text = NULL, *error = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        throw_oom(self, "diagnostic command");
        return NULL;
    }
    DiagnosticOutcome outcome = diagnostics_execute(self, line, out, &error);
    fclose(out);
    Object *result = NULL;
    if (outcome == DIAGNOSTIC_DONE) result = string_from_utf8(self, text);
    else if (outcome == DIAGNOSTIC_REFUSED) throw_last_line(self, text);
    else throw_wk(self, "java/lang/IllegalArgumentException", "%s", error ? error : "?");
    free(error);
    free(text);
    return result;
}

jstring jmm_ExecuteDiagnosticCommand(JNIEnv *env, jstring command) {
    VM_ENTER(env);
    char *line = string_to_utf8(handle_get(command));
    Object *text = NULL;
    if (line) text = execute(self, line);
    else throw_wk(self, "java/lang/NullPointerException", "Command line cannot be null.");
    free(line);
    jstring result = handle_local(self, text);
    VM_LEAVE();
    return result;
}

// The set of commands never changes, so there is nothing to notify.
void jmm_SetDiagnosticFrameworkNotificationEnabled(JNIEnv *env, jboolean enabled) { (void)env, (void)enabled; }
