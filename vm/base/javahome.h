// Finding the JDK whose class library the VM runs on.
#ifndef CABERNET_VM_BASE_JAVAHOME_H
#define CABERNET_VM_BASE_JAVAHOME_H

// The directory of a JDK 17: CABERNET_JAVA_HOME if set (it must be one); else the JDK whose launcher this process is;
// else JAVA_HOME if it is a 17; else the newest 17 under /usr/lib/jvm; else that of the `java` on the PATH. malloc'd;
// NULL, with a message on stderr that names the remedy.
char *javahome_find(void);

// JAVA_VERSION of the class library in that directory, from its file `release`, as "17.0.2"; malloc'd, NULL: not found.
// `home` may be NULL.
char *javahome_library_version(const char *home);

#endif
