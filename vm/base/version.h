// The version that the VM reports.
#ifndef CABERNET_VM_VERSION_H
#define CABERNET_VM_VERSION_H

#define CABERNET_VERSION "0.1"

#endif
