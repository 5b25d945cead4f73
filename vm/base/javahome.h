// Finding the JDK whose class library the VM runs on.
#ifndef CABERNET_VM_JAVAHOME_H
#define CABERNET_VM_JAVAHOME_H

// The directory of a JDK 17: CABERNET_JAVA_HOME if set (it must be one); else the JDK whose
// launcher this process is; else JAVA_HOME if it is a 17; else the newest 17 under /usr/lib/jvm; else
// that of the `java` on the PATH. malloc'd; NULL with a message on stderr that says what to do.
char *javahome_find(void);

#endif
