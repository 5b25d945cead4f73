#include "vm/base/version.h"

#ifdef CABERNET_COMMIT
const char version_build[] = CABERNET_VERSION "-" CABERNET_COMMIT;
#else
const char version_build[] = CABERNET_VERSION;
#endif
