// The version that the VM reports, and the name it uses in files.
#ifndef CABERNET_VM_BASE_VERSION_H
#define CABERNET_VM_BASE_VERSION_H

#define CABERNET_VERSION "0.1"
#define CABERNET_NAME "cabernet " CABERNET_VERSION

// The version, and the commit that was built if it is known, as in "0.1-5c4f1e0a9b3d".
extern const char version_build[];

#endif
