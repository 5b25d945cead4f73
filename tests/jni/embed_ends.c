/* A program that embeds a VM, passes options that make JNI_CreateJavaVM fail, and continues: embed_ends LIBJVM OPTION... */
#include <dlfcn.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>

typedef jint Create(JavaVM **, void **, void *);

int main(int argc, char **argv) {
    void *lib = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    Create *create = lib ? (Create *)dlsym(lib, "JNI_CreateJavaVM") : NULL;
    JavaVMOption options[16];
    if (!create || argc > 17) return 2;
    for (int i = 2; i < argc; i++) options[i - 2] = (JavaVMOption){argv[i], NULL};
    JavaVMInitArgs args = {JNI_VERSION_10, argc - 2, options, JNI_FALSE};
    JavaVM *vm;
    JNIEnv *env;
    jint result = create(&vm, (void **)&env, &args);
    printf("created: %s\n", result == JNI_OK ? "yes" : result < 0 ? "no" : "?");
    if (result == JNI_OK) {
        jclass c = (*env)->FindClass(env, "Embedded");
        jmethodID m = c ? (*env)->GetStaticMethodID(env, c, "main", "([Ljava/lang/String;)V") : NULL;
        printf("main: %s, exception: %s\n", m ? "yes" : "no", (*env)->ExceptionCheck(env) ? "yes" : "no");
        (*env)->ExceptionClear(env);
    }
    return 7;
}
