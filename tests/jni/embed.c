// A program that embeds a VM through the invocation interface: embed LIBJVM CLASSPATH. tests/run/jni runs it with
// HotSpot's library and with ours and compares the outputs.
#include <dlfcn.h>
#include <jni.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef jint Create(JavaVM **, void **, void *);
typedef jint Defaults(void *);
typedef jint Created(JavaVM **, jsize, jsize *);

static JavaVM *vm;

static int call_main(JNIEnv *env, const char *argument) {
    jclass c = (*env)->FindClass(env, "Embedded");
    if (!c) {
        (*env)->ExceptionDescribe(env);
        return 1;
    }
    jmethodID m = (*env)->GetStaticMethodID(env, c, "main", "([Ljava/lang/String;)V");
    jobjectArray args = (*env)->NewObjectArray(env, 1, (*env)->FindClass(env, "java/lang/String"),
                                               (*env)->NewStringUTF(env, argument));
    (*env)->CallStaticVoidMethod(env, c, m, args);
    return (*env)->ExceptionCheck(env);
}

static void *other_thread(void *unused) {
    (void)unused;
    JNIEnv *env;
    printf("attach %d\n", (*vm)->AttachCurrentThread(vm, (void **)&env, NULL));
    fflush(stdout);
    int failed = call_main(env, "attached");
    printf("failed %d\n", failed);
    // Detaching releases the monitors that the thread entered.
    jclass c = (*env)->FindClass(env, "Embedded");
    printf("enter %d", (*env)->MonitorEnter(env, c));
    printf(" %d\n", (*env)->MonitorEnter(env, c));
    fflush(stdout);
    printf("detach %d\n", (*vm)->DetachCurrentThread(vm));
    printf("again %d\n", (*vm)->DetachCurrentThread(vm));
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    void *lib = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
    if (!lib) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    Create *create = (Create *)dlsym(lib, "JNI_CreateJavaVM");
    Defaults *defaults = (Defaults *)dlsym(lib, "JNI_GetDefaultJavaVMInitArgs");
    Created *created = (Created *)dlsym(lib, "JNI_GetCreatedJavaVMs");
    char class_path[4096];
    snprintf(class_path, sizeof class_path, "-Djava.class.path=%s", argv[2]);
    JavaVMOption options[] = {{class_path, NULL}, {(char *)"-Dembedded=yes", NULL}, {(char *)"-Xmx64m", NULL}};
    JavaVMInitArgs args = {JNI_VERSION_1_8, 3, options, JNI_FALSE};
    JavaVMInitArgs old = {.version = JNI_VERSION_1_1}, good = {.version = JNI_VERSION_10};
    printf("defaults %d", defaults(&old));
    printf(" %d\n", defaults(&good));
    JNIEnv *env;
    jsize n = -1;
    printf("before %d", created(&vm, 1, &n));
    printf(" %d\n", n);
    JavaVMInitArgs wrong = {.version = 0x00770000};
    printf("wrong version %d\n", create(&vm, (void **)&env, &wrong));
    fflush(stdout);
    printf("create %d\n", create(&vm, (void **)&env, &args));
    JavaVM *second;
    void *env2;
    printf("after %d", created(&second, 1, &n));
    printf(" %d %d\n", n, second == vm);
    printf("second %d\n", create(&second, &env2, &args));
    fflush(stdout);
    printf("failed %d\n", call_main(env, "main"));
    (*env)->ExceptionClear(env);
    fflush(stdout);
    pthread_t t;
    pthread_create(&t, NULL, other_thread, NULL);
    pthread_join(t, NULL);
    jclass c = (*env)->FindClass(env, "Embedded");
    printf("enter %d", (*env)->MonitorEnter(env, c));
    printf(" exit %d\n", (*env)->MonitorExit(env, c));
    printf("failed %d\n", call_main(env, "throw"));
    fflush(stdout);
    printf("detach %d\n", (*vm)->DetachCurrentThread(vm));  // reports the exception
    fflush(stdout);
    printf("destroy %d\n", (*vm)->DestroyJavaVM(vm));
    printf("get env %d\n", (*vm)->GetEnv(vm, &env2, JNI_VERSION_10));
    return 0;
}
