// The native method of Natives.java.
#include <jni.h>

JNIEXPORT jint JNICALL Java_Natives_twice(JNIEnv *env, jclass cls, jint n) {
    (void)env, (void)cls;
    return (jint)((unsigned)n * 2);
}
