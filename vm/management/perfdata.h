// The file through which the JDK's tools find this VM (jps, jcmd) and which jstat reads: /tmp/hsperfdata_USER/PID.
#ifndef CABERNET_VM_MANAGEMENT_PERFDATA_H
#define CABERNET_VM_MANAGEMENT_PERFDATA_H

#include <stddef.h>

// Writes the file, unless -XX:-UsePerfData, and starts the pthread that writes its numbers again; once, when options
// and properties are final. Failure is silent: the VM is then not listed. The file is removed at exit, even in a crash.
void perfdata_create(void);

// Maps the file of a running VM for reading; release it with munmap. `user` NULL: any user. Only our own user's files,
// or all files for root. NULL: *error is static text. Any thread.
void *perfdata_map(const char *user, long pid, size_t *size, const char **error);

// Exit: removes the file; from now on its numbers are not read.
void perfdata_stop(void);
// Around a fork: no numbers are read. In the child: the file belongs to the parent.
void perfdata_before_fork(void);
void perfdata_after_fork_parent(void);
void perfdata_after_fork_child(void);

#endif
