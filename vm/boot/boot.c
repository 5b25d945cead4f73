// Starting and stopping the VM. The order follows from JDK 17's library: classes the VM needs are loaded first, some
// are initialised explicitly, then System.initPhase1..3 run. Everything here happens once, on the thread that calls
// JNI_CreateJavaVM, which becomes the main thread.
#include "vm/boot/boot.h"
#include "vm/adaptive/advice.h"
#include "vm/adaptive/methodcounts.h"
#include "vm/adaptive/snapshots.h"
#include "vm/adaptive/tiering.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arch_platform.h"
#include "base/clock.h"
#include "gc/heap.h"
#include "vm/instrument/fieldid.h"
#include "vm/instrument/sampling.h"
#include "vm/instrument/selectors.h"
#include "vm/api/profiler.h"
#include "vm/loading/jdklibrary.h"
#include "vm/management/attach.h"
#include "vm/management/recording.h"
#include "vm/linking/classinit.h"
#include "vm/base/createresult.h"
#include "vm/base/envoptions.h"
#include "vm/base/exithooks.h"
#include "vm/objects/classes.h"
#include "vm/runtime/exception.h"
#include "vm/services/crash.h"
#include "vm/boot/heapglue.h"
#include "vm/boot/subsystems.h"
#include "vm/adaptive/compilequeue.h"
#include "vm/api/codememory.h"
#include "vm/api/perf.h"
#include "vm/code/placecounters.h"
#include "vm/code/code.h"
#include "vm/code/codecounters.h"
#include "vm/linking/link.h"
#include "vm/runtime/invoke.h"
#include "vm/base/javahome.h"
#include "vm/services/halt.h"
#include "vm/services/javathread.h"
#include "vm/loading/loader.h"
#include "vm/loading/module.h"
#include "vm/base/log.h"
#include "vm/management/perfdata.h"
#include "vm/management/vmflags.h"
#include "vm/instrument/profile.h"
#include "vm/instrument/profilecontrol.h"
#include "vm/interp/flowcounts.h"
#include "vm/services/signal.h"
#include "vm/shadow/inputlog.h"
#include "vm/shadow/shadow.h"
#include "vm/objects/symbol.h"
#include "vm/template/template.h"
#include "vm/threads/threadbackend.h"
#include "vm/threads/profilerthread.h"
#include "vm/threads/thread.h"
#include "vm/timing/tickcounters.h"
#include "vm/timing/ticktimer.h"
#include "vm/threads/green/thread_green.h"
#include "vm/base/version.h"
#include "vm/model/vm.h"

// ---- options and properties ------------------------------------------------------------------

static void default_property(const char *key, const char *value) {
    if (!options_property(&vm.options, key)) options_set_property(&vm.options, key, value);
}

static void set_properties(void) {
    static const Property fixed[] = {
        {"java.vm.name", "Cabernet VM"},
        {"java.vm.vendor", "The cabernet project"},
        {"java.vm.specification.name", "Java Virtual Machine Specification"},
        {"java.vm.specification.vendor", "Oracle Corporation"},
        {"java.vm.specification.version", "17"},
        {"jdk.debug", "release"},
    };
    default_property("java.vm.version", version_build);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        options_set_property(&vm.options, fixed[i].key, fixed[i].value);
    options_set_property(&vm.options, "java.home", vm.java_home);
    char *libraries;
    if (asprintf(&libraries, "%s/lib", vm.java_home) > 0) {
        options_set_property(&vm.options, "sun.boot.library.path", libraries);
        free(libraries);
    }
    static const char system_path[] = "/usr/java/packages/lib:/usr/lib/" ARCH_LIBRARIES "/jni:/lib/" ARCH_LIBRARIES ":"
                                      "/usr/lib/" ARCH_LIBRARIES ":/usr/lib/jni:/lib:/usr/lib";
    const char *given = getenv("LD_LIBRARY_PATH");
    char *path;
    if (!given || !*given) {
        default_property("java.library.path", system_path);
    } else if (asprintf(&path, "%s:%s", given, system_path) > 0) {
        default_property("java.library.path", path);
        free(path);
    }
    default_property("java.class.path", "");
    if (vm.options.boot_append) options_set_property(&vm.options, "jdk.boot.class.path.append", vm.options.boot_append);
    if (vm.options.max_direct_memory >= 0) {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)vm.options.max_direct_memory);
        options_set_property(&vm.options, "sun.nio.MaxDirectMemorySize", number);
    }
}

// Gathers options in ascending priority: JAVA_TOOL_OPTIONS, the command line, _JAVA_OPTIONS. Later ones win.
static bool gather_options(OptionList *list, const JavaVMInitArgs *args) {
    if (!envoptions_append(list, "JAVA_TOOL_OPTIONS")) return false;
    static const char file[] = "-XX:VMOptionsFile=";
    for (int i = 0; i < args->nOptions; i++) {
        const JavaVMOption *o = &args->options[i];
        bool is_file = strncmp(o->optionString, file, sizeof file - 1) == 0;
        if (!(is_file ? envoptions_append_file(list, o->optionString + sizeof file - 1)
                      : envoptions_add(list, o->optionString, o->extraInfo)))
            return false;
    }
    return envoptions_append(list, "_JAVA_OPTIONS");
}

bool boot_choose_threads(const char *text, char *error, size_t error_size) {
    bool green = text && strcmp(text, "native") != 0;
    if (green && !thread_green_configure(text, error, error_size)) return false;
    thread_use_backend(green ? &thread_backend_green : &thread_backend_native, green && thread_green_counts());
    threads.take_turns = green && thread_green_repeats();
    return true;
}

// ---- initialisation of the class library -------------------------------------------------------

static Class *boot_class(Thread *self, const char *name) {
    Class *c = loader_load(self, vm.boot_loader, symbol_of(name));
    return c && class_initialize(self, c) ? c : NULL;
}

static bool initialize_classes(Thread *self, const char *const *names) {
    for (; *names; names++)
        if (!boot_class(self, *names)) return false;
    return true;
}

static bool call_static(Thread *self, const char *class_name, const char *name, const char *desc, Slot *args,
                        Slot *result) {
    Class *c = boot_class(self, class_name);
    if (!c) return false;
    Method *m = class_find_declared_method(c, symbol_of(name), symbol_of(desc));
    if (!m) {
        fprintf(stderr, "Error: this JDK lacks %s.%s%s\n", class_name, name, desc);
        return false;
    }
    Slot ignored;
    return invoke_method(self, m, args, result ? result : &ignored, ENTRY_VM);
}

// The five values that jdk.internal.misc.Unsafe reads from here instead of asking the VM.
static bool set_unsafe_constants(Thread *self) {
    Class *c = boot_class(self, "jdk/internal/misc/UnsafeConstants");
    if (!c) return false;
    const struct {
        const char *name;
        char type;
        int32_t value;
    } constants[] = {
        {"ADDRESS_SIZE0", 'I', (int32_t)sizeof(void *)},
        {"PAGE_SIZE", 'I', (int32_t)sysconf(_SC_PAGESIZE)},
        {"BIG_ENDIAN", 'Z', __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__},
        {"UNALIGNED_ACCESS", 'Z', ARCH_UNALIGNED_ACCESS},
        {"DATA_CACHE_LINE_FLUSH_SIZE", 'I', 0},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        const char type[2] = {constants[i].type, 0};
        Field *f = class_find_declared_field(c, symbol_of(constants[i].name), symbol_of(type));
        if (!f) {
            fprintf(stderr, "Error: this JDK lacks UnsafeConstants.%s\n", constants[i].name);
            return false;
        }
        if (type[0] == 'Z') *(uint8_t *)field_static_addr(f) = (uint8_t)constants[i].value;
        else *(int32_t *)field_static_addr(f) = constants[i].value;
    }
    return true;
}

static bool start_library(Thread *self) {
    static const char *const first[] = {"java/lang/String",      "java/lang/System", "java/lang/Class",
                                        "java/lang/ThreadGroup", "java/lang/Thread", NULL};
    static const char *const second[] = {"java/lang/Module", NULL};
    // Finalizer starts a thread that queries VM for its level at once. If VM were not initialised, chance would decide
    // whether that thread or this one initialises it, and so would both threads' profiles.
    static const char *const third[] = {"java/lang/reflect/Method", "jdk/internal/misc/VM", "java/lang/ref/Finalizer",
                                        NULL};
    return initialize_classes(self, first) && javathread_create_main(self) && initialize_classes(self, second) &&
        set_unsafe_constants(self) && initialize_classes(self, third);
}

static bool phase1(Thread *self) {
    static const char *const errors[] = {"java/lang/OutOfMemoryError",
                                         "java/lang/NullPointerException",
                                         "java/lang/ClassCastException",
                                         "java/lang/ArrayStoreException",
                                         "java/lang/ArithmeticException",
                                         "java/lang/StackOverflowError",
                                         "java/lang/IllegalMonitorStateException",
                                         "java/lang/IllegalArgumentException",
                                         NULL};
    if (!call_static(self, "java/lang/System", "initPhase1", "()V", NULL, NULL)) return false;
    atomic_store(&vm.init_level, 1);
    return initialize_classes(self, errors) && exception_init(self) &&
        (vm.options.reduce_signals || signal_start_dispatcher(self));
}

static bool phase2(Thread *self) {
    static const char *const invoke[] = {"java/lang/invoke/MethodHandle", "java/lang/invoke/ResolvedMethodName",
                                         "java/lang/invoke/MemberName", "java/lang/invoke/MethodHandleNatives", NULL};
    if (!initialize_classes(self, invoke)) return false;
    // initPhase2(printToStderr, printStackTrace): the library prints errors itself, on stdout as with HotSpot.
    Slot args[2] = {{.i = 0}, {.i = 0}}, result;
    if (!call_static(self, "java/lang/System", "initPhase2", "(ZZ)I", args, &result)) return false;
    if (result.i != 0) {
        vm.options.create_result = CREATE_REFUSED;
        return false;
    }
    atomic_store(&vm.init_level, 2);
    return true;
}

static bool phase3(Thread *self) {
    if (!call_static(self, "java/lang/System", "initPhase3", "()V", NULL, NULL)) return false;
    atomic_store(&vm.init_level, 4);
    Slot platform;
    if (!call_static(self, "java/lang/ClassLoader", "getPlatformClassLoader", "()Ljava/lang/ClassLoader;", NULL,
                     &platform))
        return false;
    Loader *loader = loader_of(self, platform.o);
    if (!loader) return false;
    loader->trusted = true;
    return true;
}

// ---- start steps (vm/boot/subsystems.def) --------------------------------------------------------

static jint start_log(Start *s) {
    (void)s;
    vm.start_ns = (uint64_t)clock_monotonic_ns();
    log_set_start(vm.start_ns);
    return JNI_OK;
}

static jint start_options(Start *s) {
    OptionList list = {0};
    bool ok = gather_options(&list, s->args) &&
        options_parse(&vm.options, list.count, list.strings, list.extras, s->args->ignoreUnrecognized);
    free(list.strings);
    free(list.extras);
    return ok ? JNI_OK : vm.options.create_result ? vm.options.create_result : JNI_EINVAL;
}

static jint start_home(Start *s) {
    (void)s;
    vm.java_home = javahome_find();
    if (!vm.java_home) return JNI_ERR;
    set_properties();
    return JNI_OK;
}

static jint start_advice(Start *s) {
    (void)s;
    char error[512];
    if (advice_start(&vm.options, error, sizeof error)) return JNI_OK;
    fprintf(stderr, "Error: %s\n", error);
    return JNI_EINVAL;
}

static jint start_backend(Start *s) {
    (void)s;
    Options *o = &vm.options;
    char error[160];
    if (!boot_choose_threads(o->threads, error, sizeof error)) {
        fprintf(stderr, "Error: -Xthreads:%s: %s\n", o->threads, error);
        return JNI_EINVAL;
    }
    // Compiled code has different yieldpoints, and the time at which it appears is not deterministic.
    if (o->threads && thread_green_counts()) {
        o->interpret_only = true;
        o->compile_all = false;
    }
    options_set_property(o, "java.vm.info",
                         o->interpret_only    ? "interpreted mode"
                             : o->compile_all ? "compiled mode"
                                              : "mixed mode");
    // The name of the CompilationMXBean, which does not exist without it.
    if (!o->interpret_only) options_set_property(o, "sun.management.compiler", "Cabernet 64-Bit Tiered Compilers");
    return JNI_OK;
}

static jint start_compiler(Start *s) {
    (void)s;
    char error[512];
    int outcome = tiering_init(&vm.options, error, sizeof error);
    if (outcome > 0) return CREATE_PRINTED;
    if (outcome < 0) fprintf(stderr, "Error: %s%s\n", error[0] == '-' ? "" : "-Xjit: ", error);
    return outcome == 0 ? JNI_OK : JNI_EINVAL;
}

static jint start_profile(Start *s) {
    (void)s;
    profile_init();
    if (!vm.options.profile) return JNI_OK;
    char error[512];
    ProfileRequest *request;
    int outcome = profile_open(vm.options.profile, &request, error, sizeof error);
    if (outcome == 1) return CREATE_PRINTED;
    if (outcome == 2) {
        profilecontrol_at_main(request);
        return JNI_OK;
    }
    if (outcome == 0 && profile_start(request, error, sizeof error)) return JNI_OK;
    fprintf(stderr, "Error: -Xprofile:%s: %s\n", vm.options.profile, error);
    return JNI_EINVAL;
}

static jint start_signals(Start *s) {
    (void)s;
    signal_init();
    return JNI_OK;
}

static jint start_threads(Start *s) {
    (void)s;
    thread_system_init();
    return JNI_OK;
}

static jint cannot_start(const char *error) {
    fprintf(stderr, "Error occurred during initialization of VM\n%s\n", error);
    return JNI_ERR;
}

static jint start_heap(Start *s) {
    (void)s;
    const char *error;
    return heapglue_init(&error) ? JNI_OK : cannot_start(error);
}

static jint start_green(Start *s) {
    (void)s;
    const char *error;
    return !thread_is_green() || thread_green_init(&error) ? JNI_OK : cannot_start(error);
}

static jint start_main_thread(Start *s) {
    if (vm.options.print_command_line) {
        for (size_t i = 0; i < vm.options.argument_count; i++)
            if (strncmp(vm.options.arguments[i], "-XX:", 4) == 0) printf("%s ", vm.options.arguments[i]);
        putchar('\n');
    }
    if (vm.options.print_flags) vmflags_print_table(stdout);
    fflush(stdout);
    s->self = thread_attach_bare(false);
    return s->self ? JNI_OK : cannot_start("cannot allocate memory for the main thread's stack");
}

static jint fail(Thread *self) {
    if (self->exception) exception_print_native(self);
    return vm.options.create_result ? vm.options.create_result : JNI_ERR;
}

static jint start_loaders(Start *s) {
    if (!loader_init() || !wellknown_load(s->self)) return fail(s->self);
    heap_enable_collection();
    return JNI_OK;
}

static jint start_class_library(Start *s) {
    Thread *self = s->self;
    const char *error;
    if (!jdklibrary_open("java", &error)) {
        fprintf(stderr, "Error: cannot load libjava of %s: %s\n", vm.java_home, error);
        return JNI_ERR;
    }
    if (!start_library(self) || !phase1(self) || !phase2(self) || !phase3(self)) return fail(self);
    // JMX over the network, as configured by the com.sun.management properties. When it throws, it has already printed
    // the error.
    if (vm.options.management_agent && !call_static(self, "jdk/internal/agent/Agent", "startAgent", "()V", NULL, NULL))
        halt(1);
    return JNI_OK;
}

static jint start_perfdata(Start *s) {
    (void)s;
    perfdata_create();
    return JNI_OK;
}

static jint start_attach(Start *s) { return attach_init(s->self) ? JNI_OK : fail(s->self); }

static jint start_shadows(Start *s) {
    shadow_start(s->self);
    return JNI_OK;
}

static void child_of_profile(void) {
    profiler_after_fork();
    if (shadow_is_here()) return;
    profile_after_fork_child();
    profiler_forget();
}

static void child_of_heap(void) {
    if (heap_after_fork_child()) return;
    fputs("cabernet: no collector thread after a fork\n", stderr);
    abort();
}

const Subsystem subsystems[] = {
#define SUBSYSTEM(name, start, stop, before_fork, parent, child) {#name, start, stop, before_fork, parent, child},
#include "vm/boot/subsystems.def"
};
const size_t subsystem_count = sizeof subsystems / sizeof *subsystems;

jint vm_boot(JavaVMInitArgs *args) {
    Start start = {.args = args};
    return subsystems_start(&start);
}

// ---- stop --------------------------------------------------------------------------------------

void vm_destroy(Thread *self) {
    thread_wait_last(self);
    if (shadow_is_here()) shadow_program_ends();
    if (!call_static(self, "java/lang/Shutdown", "shutdown", "()V", NULL, NULL))
        exception_print(self, exception_take(self), stderr);
    halt_stop_subsystems();
    fflush(NULL);
    crash_let_report();
}
