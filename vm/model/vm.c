#include "vm/model/vm.h"

VM vm;
