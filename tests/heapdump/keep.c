// Keeps an object by a global reference alone.
#include <jni.h>

JNIEXPORT void JNICALL Java_dump_Graph_keep(JNIEnv *env, jclass cls, jobject o) {
    (void)cls;
    (*env)->NewGlobalRef(env, o);
}
