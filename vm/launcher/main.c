// The launcher `cabernet`: runs a command line and returns the program's exit code. It uses the VM only through the JNI
// invocation interface, like any other launcher.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vm/base/createresult.h"
#include "vm/base/options.h"
#include "vm/jni/jni.h"
#include "vm/launcher/args.h"

typedef struct Launch {
    JavaVM *vm;
    JNIEnv *env;
    jclass helper;  // sun.launcher.LauncherHelper
    const LaunchPlan *plan;
} Launch;

static bool failed(Launch *l) { return (*l->env)->ExceptionCheck(l->env); }

static bool create_vm(Launch *l) {
    const StringList *options = &l->plan->vm_options;
    JavaVMOption *list = calloc(options->count + 1, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < options->count; i++) list[i].optionString = options->items[i];
    JavaVMInitArgs args = {
        .version = JNI_VERSION_10,
        .nOptions = (jint)options->count,
        .options = list,
    };
    jint result = JNI_CreateJavaVM(&l->vm, (void **)&l->env, &args);
    free(list);
    if (result == CREATE_PRINTED || result == CREATE_REFUSED)
        exit(result == CREATE_PRINTED ? EXIT_SUCCESS : EXIT_FAILURE);
    return result == JNI_OK;
}

// The exit code when the VM does not start; the VM has printed the reason.
static int refused(void) {
    fputs("Error: Could not create the Java Virtual Machine.\n"
          "Error: A fatal exception has occurred. Program will exit.\n",
          stderr);
    return 1;
}

static void call_void(Launch *l, jclass cls, const char *name, const char *desc, ...) {
    if (!cls) return;
    jmethodID m = (*l->env)->GetStaticMethodID(l->env, cls, name, desc);
    if (!m) return;
    va_list args;
    va_start(args, desc);
    (*l->env)->CallStaticVoidMethodV(l->env, cls, m, args);
    va_end(args);
}

// A String from bytes in the platform's encoding, decoded by the library.
static jstring platform_string(Launch *l, const char *text) {
    JNIEnv *env = l->env;
    jsize n = (jsize)strlen(text);
    jbyteArray bytes = (*env)->NewByteArray(env, n);
    if (!bytes) return NULL;
    (*env)->SetByteArrayRegion(env, bytes, 0, n, (const jbyte *)text);
    jmethodID make = (*env)->GetStaticMethodID(env, l->helper, "makePlatformString", "(Z[B)Ljava/lang/String;");
    if (!make) return NULL;
    jstring s = (*env)->CallStaticObjectMethod(env, l->helper, make, JNI_TRUE, bytes);
    (*env)->DeleteLocalRef(env, bytes);
    return s;
}

static jobjectArray main_arguments(Launch *l) {
    JNIEnv *env = l->env;
    const StringList *arguments = &l->plan->arguments;
    jclass string = (*env)->FindClass(env, "java/lang/String");
    if (!string) return NULL;
    jobjectArray array = (*env)->NewObjectArray(env, (jsize)arguments->count, string, NULL);
    for (size_t i = 0; array && i < arguments->count; i++) {
        jstring s = platform_string(l, arguments->items[i]);
        if (!s) return NULL;
        (*env)->SetObjectArrayElement(env, array, (jsize)i, s);
        (*env)->DeleteLocalRef(env, s);
    }
    return array;
}

static void run_main(Launch *l) {
    JNIEnv *env = l->env;
    jmethodID load = (*env)->GetStaticMethodID(env, l->helper, "checkAndLoadMain",
                                               "(ZILjava/lang/String;)Ljava/lang/Class;");
    jstring what = load ? platform_string(l, l->plan->what) : NULL;
    if (!what) return;
    jclass cls = (*env)->CallStaticObjectMethod(env, l->helper, load, JNI_TRUE, (jint)l->plan->mode, what);
    if (!cls || failed(l)) return;
    jobjectArray arguments = main_arguments(l);
    if (!arguments || failed(l) || l->plan->dry_run) return;
    jmethodID main_method = (*env)->GetStaticMethodID(env, cls, "main", "([Ljava/lang/String;)V");
    if (!main_method) return;
    (*env)->CallStaticVoidMethod(env, cls, main_method, arguments);
}

// The version of the class library, which the JDK's launcher has built in.
static void print_full_version(Launch *l) {
    JNIEnv *env = l->env;
    jclass system = (*env)->FindClass(env, "java/lang/System");
    jmethodID get = system
        ? (*env)->GetStaticMethodID(env, system, "getProperty", "(Ljava/lang/String;)Ljava/lang/String;")
        : NULL;
    jstring key = get ? (*env)->NewStringUTF(env, "java.runtime.version") : NULL;
    jstring value = key ? (*env)->CallStaticObjectMethod(env, system, get, key) : NULL;
    const char *version = value ? (*env)->GetStringUTFChars(env, value, NULL) : NULL;
    if (!version) return;
    if (l->plan->to_stdout) printf("openjdk %s\n", version);
    else fprintf(stderr, "openjdk full version \"%s\"\n", version);
    (*env)->ReleaseStringUTFChars(env, value, version);
}

// Performs everything that the options request, in the order of the JDK's launcher. Returns the exit code if no
// exception is pending.
static int act(Launch *l) {
    const LaunchPlan *plan = l->plan;
    JNIEnv *env = l->env;
    if (plan->action == ACTION_FULL_VERSION) {
        print_full_version(l);
        return 0;
    }
    l->helper = (*env)->FindClass(env, "sun/launcher/LauncherHelper");
    if (!l->helper) return 1;
    if (plan->show_settings)
        call_void(l, l->helper, "showSettings", "(ZLjava/lang/String;JJJ)V", JNI_TRUE,
                  (*env)->NewStringUTF(env, plan->show_settings), (jlong)0, (jlong)0, (jlong)0);
    if (!failed(l) && plan->show_resolved_modules) call_void(l, l->helper, "showResolvedModules", "()V");
    if (failed(l)) return 1;
    if (plan->list_modules) {
        call_void(l, l->helper, "listModules", "()V");
        return 0;
    }
    if (plan->describe_module) {
        jstring name = platform_string(l, plan->describe_module);
        if (name) call_void(l, l->helper, "describeModule", "(Ljava/lang/String;)V", name);
        return 0;
    }
    if (plan->print_version || plan->show_version) {
        jclass props = (*env)->FindClass(env, "java/lang/VersionProps");
        if (plan->to_stdout) call_void(l, props, "println", "(Z)V", JNI_FALSE);
        else call_void(l, props, "print", "(Z)V", JNI_TRUE);
    }
    if (plan->print_version || plan->validate_modules || failed(l)) return 0;
    if (plan->action == ACTION_HELP_EXTRA) {
        options_print_help(plan->to_stdout ? stdout : stderr);
        return 0;
    }
    if (plan->action == ACTION_HELP || !plan->what) {
        usage_print(plan->to_stdout);
        return plan->action != ACTION_HELP;
    }
    run_main(l);
    return 0;
}

int main(int argc, char **argv) {
    LaunchPlan plan = {0};
    if (!args_parse(&plan, argc, argv)) return 1;
    if ((plan.action == ACTION_HELP || plan.action == ACTION_HELP_EXTRA) && !plan.show_version && !plan.show_settings) {
        // Help needs no VM, so it works without an installed JDK; but wrong options before it are reported.
        Options options;
        if (!options_parse(&options, (int)plan.vm_options.count, plan.vm_options.items, NULL, false)) return refused();
        if (plan.action == ACTION_HELP) usage_print(plan.to_stdout);
        else options_print_help(plan.to_stdout ? stdout : stderr);
        return 0;
    }
    if (plan.action == ACTION_FULL_VERSION) plan.vm_options.count = 0;  // java ignores them
    Launch launch = {.plan = &plan};
    if (!create_vm(&launch)) return refused();
    int code = act(&launch);
    // The uncaught-exception handler processes an exception that main has thrown when the main thread detaches; it
    // makes the exit code 1.
    if (failed(&launch)) code = 1;
    if ((*launch.vm)->DetachCurrentThread(launch.vm) != JNI_OK) code = 1;
    (*launch.vm)->DestroyJavaVM(launch.vm);
    // Not exit(): daemon and compile threads still run, and destructors of libraries must not free what they use. The
    // VM has flushed its output.
    fflush(NULL);
    _exit(code);
}
