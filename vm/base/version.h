// The version that the VM reports, and the name it uses in files.
#ifndef CABERNET_VM_BASE_VERSION_H
#define CABERNET_VM_BASE_VERSION_H

#define CABERNET_VERSION "0.1"
#define CABERNET_NAME "cabernet " CABERNET_VERSION

#endif
