// Natives of Forks.java.
#include <dlfcn.h>
#include <jni.h>
#include <sys/wait.h>

JNIEXPORT jint JNICALL Java_Forks_fork(JNIEnv *env, jclass cls) {
    (void)env, (void)cls;
    int (*process_fork)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "process_fork");
    return process_fork ? process_fork() : -1;
}

JNIEXPORT jint JNICALL Java_Forks_await(JNIEnv *env, jclass cls, jint pid) {
    (void)env, (void)cls;
    int status;
    if (waitpid(pid, &status, 0) != pid) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -100 - WTERMSIG(status);
}
