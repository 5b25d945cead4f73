# cabernet: `make demo` and `make test` need nothing but this file (they install what is missing);
# `make help` lists the rest.
#
# SANITIZE=1 builds with AddressSanitizer and UBSan in build/sanitize; DEBUG=1 with assertions and
# without optimisation in build/debug; CC=clang works as well.

CC ?= gcc
PREFIX ?= /usr/local
V ?= 0
Q := $(if $(filter 0,$(V)),@)

B := build
CFLAGS_MODE := -O2 -DNDEBUG
ifdef SANITIZE
B := build/sanitize
CFLAGS_MODE := -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined
LDFLAGS_MODE := -fsanitize=address,undefined
endif
# For the unit tests of what needs no collector: build/tsan/tests/vm/green_test.
ifdef TSAN
B := build/tsan
CFLAGS_MODE := -O1 -DNDEBUG -fsanitize=thread -Wno-error=tsan
LDFLAGS_MODE := -fsanitize=thread
endif
ifdef DEBUG
B := build/debug
CFLAGS_MODE := -O1 -DCABERNET_DEBUG
endif

# The processor: its code is the folder vm/arch/$(ARCH), whose headers (arch_*.h) are found by their names alone.
ARCH ?= $(shell uname -m)
ifeq ($(wildcard vm/arch/$(ARCH)),)
$(error no folder vm/arch/$(ARCH): docs/PORTING.md says what it needs)
endif

CFLAGS := -std=c17 -D_GNU_SOURCE -I. -Ivm/arch/$(ARCH) -g -Wall -Wextra -Werror -fno-omit-frame-pointer \
          -fno-strict-aliasing -fvisibility=hidden -pthread $(CFLAGS_MODE) $(EXTRA_CFLAGS)
LDFLAGS := -pthread -Wl,--as-needed -Wl,--build-id=sha1 $(LDFLAGS_MODE)

# One folder is one room (scripts/layers.txt): its C files and its assembly belong to what the room belongs to.
sources = $(wildcard $(1:%=%/*.c) $(1:%=%/*/*.c) $(1:%=%/*/*/*.c))
LIB_SRC := $(filter-out vm/launcher/% vm/arch/%,$(call sources,bytecode gc vm)) $(wildcard vm/arch/$(ARCH)/*.c) \
           $(filter-out profiler/tool/%,$(call sources,profiler))
LAUNCHER_SRC := $(wildcard vm/launcher/*.c)
PROF_SRC := $(call sources,profiler/tool) profiler/analyses/histogram.c
BENCH_SRC := $(wildcard benchmarks/harness/*.c)
obj = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ := $(call obj,$(LIB_SRC)) $(patsubst %.S,$(B)/obj/%.o,$(wildcard vm/*/*.S))
PROGRAMS := $(B)/cabernet $(B)/cabernet-prof $(if $(BENCH_SRC),$(B)/cabernet-bench)

UNIT_TESTS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/*/*_test.c))

.PHONY: all integrations jit man completions setup setup-test demo test test-asserts stress test-unit test-e2e test-oracle test-apps test-all bench-arnold-ryder bench-c2 bench-cab bench-cost bench-gc bench-hps bench-shadow bench-threads bench-thresholds bench-papers bench-decisions bench-rings check-layers install deb clean help
.SECONDARY:
# The class that cabernet-bench runs programs with.
DRIVER := $(B)/lib/driver/Repeat.class
PRODUCTIONS := $(patsubst profiler/productions/%,$(B)/lib/productions/%,$(wildcard profiler/productions/*.prod))
JARS ?= /usr/share/java
space := $() $()
JUNIT_JARS := $(wildcard $(addprefix $(JARS)/,junit-jupiter-api.jar junit-platform-commons.jar apiguardian-api.jar opentest4j.jar))
JMH_JAR ?= $(JARS)/jmh-core.jar
DACAPO_JAR ?= $(JARS)/dacapo.jar
INTEGRATIONS := $(if $(word 4,$(JUNIT_JARS)),$(B)/lib/cabernet-junit.jar) $(if $(wildcard $(JMH_JAR)),$(B)/lib/cabernet-jmh.jar) \
                $(if $(wildcard $(DACAPO_JAR)),$(B)/lib/cabernet-dacapo.jar)
PAGE := $(B)/lib/page.html
all: $(B)/lib/libjvm.so $(B)/lib/libcabernet-jit.so $(PROGRAMS) $(B)/lib/java/cabernet/Profile.class $(PRODUCTIONS) $(PAGE) $(INTEGRATIONS) $(DRIVER)

# ---- build -------------------------------------------------------------------------------------

# Position-independent everywhere: the unit tests link the library's objects.
$(B)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $<"
	$(Q)$(CC) $(CFLAGS) -fPIC $(CFLAGS_$(notdir $*)) -MD -MP -c $< -o $@

# The commit, which `cabernet -version` prints; the file changes when it does.
COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null)
$(shell mkdir -p $(B); [ "$$(cat $(B)/commit 2>/dev/null)" = "$(COMMIT)" ] || echo "$(COMMIT)" >$(B)/commit)
$(B)/obj/vm/base/version.o: $(B)/commit
CFLAGS_version := $(if $(COMMIT),-DCABERNET_COMMIT='"$(COMMIT)"')

$(B)/obj/%.o: %.S Makefile
	@mkdir -p $(@D)
	@echo "  AS    $<"
	$(Q)$(CC) $(CFLAGS) -fPIC -MD -MP -c $< -o $@

# The interpreter loop: merging its dispatch jumps would undo the point of direct threading.
CFLAGS_interp := -fno-gcse -fno-crossjumping -fomit-frame-pointer
ifneq ($(findstring clang,$(CC)),)
CFLAGS_interp :=
endif

$(B)/lib/libjvm.so: $(LIB_OBJ) vm/boot/libjvm.map
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libjvm.so -Wl,--version-script=vm/boot/libjvm.map \
	    $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) $(LIB_OBJ) -lgc -lffi -lz -ldl -lm -o $@
comma := ,

$(B)/cabernet: $(call obj,$(LAUNCHER_SRC)) $(call obj,vm/base/options.c vm/base/version.c vm/base/hotspotflags.c vm/base/log.c vm/base/sanitize.c) $(B)/lib/libjvm.so
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) $(filter %.o,$^) -L$(B)/lib -ljvm \
	    -Wl,-rpath,'$$ORIGIN/lib:$$ORIGIN/../lib/cabernet' -o $@

# Of the VM it needs class files and their code.
PROF_OBJ := $(call obj,$(PROF_SRC) $(call sources,profiler/productions bytecode/classfile bytecode/analysis))
$(B)/cabernet-prof: $(PROF_OBJ)
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) $^ -ljansson -lncursesw -ltinfo -lz -lm -o $@

$(B)/cabernet-bench: $(call obj,$(BENCH_SRC))
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) $^ -ljansson -lm -o $@

# The compiler: a separate shared object, opened when the first method is to be compiled. It uses the functions of the
# VM in the private version node of vm/boot/libjvm.map, and contains a copy of bytecode/, which has no state.
LLVM_CFLAGS := $(shell llvm-config-19 --cflags 2>/dev/null | tr ' ' '\n' | grep ^-I | sed 's/^-I/-isystem /')
JIT_LIBS := -L/usr/lib/llvm-19/lib -lLLVM-19 -lnettle
# The compiler has LLVM in itself where there are archives of it, and of LLVM only what it uses: the shared library is for all
# processors and tools, and relocating all of that took most of the time from the first hot method to the first compiled one. Tests are
# linked with the shared library, which is quicker.
LLVM_ARCHIVES := $(if $(wildcard /usr/lib/llvm-19/lib/libLLVMOrcJIT.a),$(shell llvm-config-19 --link-static --libs native passes orcjit bitwriter 2>/dev/null))
JIT_LLVM := $(if $(LLVM_ARCHIVES),-Wl$(comma)--gc-sections$(comma)-Bsymbolic$(comma)--exclude-libs$(comma)ALL$(comma)-z$(comma)pack-relative-relocs \
    -L/usr/lib/llvm-19/lib -Wl$(comma)--start-group $(LLVM_ARCHIVES) -Wl$(comma)--end-group -l:libstdc++.a -l:libzstd.so.1 -lz -lnettle -ldl,$(JIT_LIBS))
JIT_SRC := $(filter-out jit/backend/target_%.c,$(call sources,jit)) jit/backend/target_$(ARCH).c
JIT_OBJ := $(call obj,$(JIT_SRC) $(call sources,bytecode))
$(B)/obj/jit/%.o: CFLAGS += $(LLVM_CFLAGS)
jit: $(B)/lib/libcabernet-jit.so
$(B)/lib/libcabernet-jit.so: $(JIT_OBJ) $(B)/lib/libjvm.so
	@mkdir -p $(@D)
	@echo "  LINK  $@"
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,libcabernet-jit.so $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) \
	    $(JIT_OBJ) -L$(B)/lib -ljvm $(JIT_LLVM) -lm -Wl,-rpath,'$$ORIGIN' -o $@

# Classes for programs that run on cabernet.
$(B)/lib/java/cabernet/Profile.class: $(wildcard java/cabernet/*.java)
	@mkdir -p $(B)/lib/java
	@echo "  JAVAC $<"
	$(Q)javac -nowarn -Xlint:none -d $(B)/lib/java $^

$(DRIVER): benchmarks/repeat/Repeat.java benchmarks/repeat/MeasuredProfile.java $(B)/lib/java/cabernet/Profile.class
	@rm -rf $(@D)
	@mkdir -p $(@D)
	@echo "  JAVAC $@"
	$(Q)javac -nowarn -Xlint:none -cp $(B)/lib/java -d $(@D) $(filter benchmarks/%.java,$^)

# Archives for test runners and harnesses of others, each where that other one's archives are installed.
$(B)/lib/cabernet-%.jar: $(B)/lib/java/cabernet/Profile.class
	@rm -rf $(B)/obj/java/$*
	@mkdir -p $(B)/obj/java/$*
	@echo "  JAVAC $@"
	$(Q)javac -nowarn -Xlint:none -XDsuppressNotes -proc:none -cp "$(integration_path)" -d $(B)/obj/java/$* $(filter %.java,$^)
	$(Q)jar --create --file $@ -C $(B)/obj/java/$* .
$(B)/lib/cabernet-junit.jar: integration_path = $(B)/lib/java:$(subst $(space),:,$(JUNIT_JARS))
$(B)/lib/cabernet-junit.jar: $(wildcard java/cabernet/junit/*.java)
$(B)/lib/cabernet-jmh.jar: integration_path = $(JMH_JAR)
$(B)/lib/cabernet-jmh.jar: $(wildcard java/jmh/*.java)
$(B)/lib/cabernet-dacapo.jar: integration_path = $(B)/lib/java:$(DACAPO_JAR)
$(B)/lib/cabernet-dacapo.jar: $(wildcard java/cabernet/dacapo/*.java)

# The same, and what is missing for the others.
integrations: all
	@echo "built: $(or $(strip $(INTEGRATIONS)),none)"
	@$(if $(word 4,$(JUNIT_JARS)),,echo "no cabernet-junit.jar: it needs JUnit 5 in $(JARS) (Debian: junit5)")
	@$(if $(wildcard $(JMH_JAR)),,echo "no cabernet-jmh.jar: there is no $(JMH_JAR); name one with JMH_JAR=")
	@$(if $(wildcard $(DACAPO_JAR)),,echo "no cabernet-dacapo.jar: there is no $(DACAPO_JAR); name one with DACAPO_JAR=")

# Productions that programs name without a folder.
$(B)/lib/productions/%.prod: profiler/productions/%.prod
	@mkdir -p $(@D)
	$(Q)cp $< $@

# The page of `cabernet-prof html`, without a profile.
$(PAGE): profiler/page/assemble $(wildcard profiler/page/src/*)
	@echo "  PAGE  $@"
	$(Q)profiler/page/assemble $@

# Manual pages are the programs' own help, so that an option is described in one place.
MAN := $(patsubst $(B)/%,$(B)/man/%.1,$(PROGRAMS))
man: $(MAN)
$(B)/man/cabernet.1: $(B)/cabernet scripts/manpage
	@mkdir -p $(@D)
	$(Q)scripts/manpage cabernet "a Java virtual machine with profiling built in" "$< -help" "$< -X" "$< -Xprofile:help=all" >$@
$(B)/man/cabernet-prof.1: $(B)/cabernet-prof scripts/manpage
	@mkdir -p $(@D)
	$(Q)scripts/manpage cabernet-prof "reads, compares and exports profiles of cabernet" "$< help" >$@
$(B)/man/cabernet-bench.1: $(B)/cabernet-bench scripts/manpage
	@mkdir -p $(@D)
	$(Q)scripts/manpage cabernet-bench "compares Java virtual machines" "$< --help" >$@

# Completions of the two that do not print their own are made of the help, too.
COMPLETIONS := $(foreach p,cabernet cabernet-bench,$(B)/man/$(p).bash $(B)/man/$(p).zsh)
completions: $(COMPLETIONS)
$(B)/man/cabernet.%: $(B)/cabernet scripts/completion
	@mkdir -p $(@D)
	$(Q)scripts/completion cabernet $* "$< -help" "$< -X" "$< -Xprofile:help=all" >$@
$(B)/man/cabernet-bench.%: $(B)/cabernet-bench scripts/completion
	@mkdir -p $(@D)
	$(Q)scripts/completion cabernet-bench $* "$< --help" "$< arnold-ryder --help" >$@

-include $(patsubst %.o,%.d,$(LIB_OBJ) $(JIT_OBJ) $(call obj,$(LAUNCHER_SRC) $(PROF_SRC) $(BENCH_SRC)))

# ---- the two commands of the README --------------------------------------------------------------

setup:
	@scripts/setup

setup-test:
	@scripts/setup packages-test.txt

# Set-up comes first, and a second make does the rest: the packages that it installs are needed to read this file's rules.
demo: setup
	@$(MAKE) --no-print-directory all
	@scripts/demo $(B)

# Tests that take long take turns, which the commit's hash chooses (scripts/test); test-all has all of them, and records
# its results.
test:
	@scripts/test --about
	@scripts/setup packages-test.txt
	@$(MAKE) --no-print-directory all
	@scripts/test $(B)
test-all:
	@TURN=all scripts/test --about
	@scripts/setup packages-test.txt
	@$(MAKE) --no-print-directory all
	@TURN=all scripts/test --record benchmarks/results/test-all.md $(B)

# ---- parts of the tests --------------------------------------------------------------------------

# The JDK's jni.h: a test compares the VM's with it.
JDK_INCLUDE := $(firstword $(wildcard /usr/lib/jvm/java-17-openjdk-*/include))

# The back end without a VM.
BACKEND_OBJ := $(call obj,$(filter jit/backend/%,$(JIT_SRC)) jit/analysis/chords.c jit/dump.c vm/code/codememory.c vm/code/perf.c $(call sources,bytecode))
$(B)/tests/jit/backend_test: tests/jit/backend_test.c $(BACKEND_OBJ)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $(LLVM_CFLAGS) $< $(BACKEND_OBJ) $(LDFLAGS) $(JIT_LIBS) -lcmocka -lm -ldl -o $@

# The assembler, whose code LLVM's disassembler reads back.
$(B)/tests/vm/asm_test: tests/vm/asm_test.c $(call obj,vm/arch/$(ARCH)/arch_asm.c)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $(LLVM_CFLAGS) $^ $(LDFLAGS) $(JIT_LIBS) -lcmocka -o $@

# The file of objects that are kept, without LLVM.
$(B)/tests/jit/objectpack_test: tests/jit/objectpack_test.c $(call obj,jit/backend/objectpack.c)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) -lcmocka -o $@

# The back end, with what reads the counters of its code.
$(B)/tests/jit/counters_test: tests/jit/counters_test.c $(BACKEND_OBJ) $(call obj,vm/code/codecounters.c)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $(LLVM_CFLAGS) $(filter %.c %.o,$^) $(LDFLAGS) $(JIT_LIBS) -lcmocka -lm -ldl -o $@

$(B)/tests/jit/duplicate_test: tests/jit/duplicate_test.c $(call obj,jit/analysis/duplicate.c)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) -lcmocka -o $@

$(B)/tests/jit/frequency_test: tests/jit/frequency_test.c $(call obj,jit/analysis/frequency.c)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $^ $(LDFLAGS) -lcmocka -lm -o $@

# The reader of plans without the compiler.
PLAN_FILE_OBJ := $(call obj,jit/replay/replay_file.c jit/plan/plan_text.c jit/plan/plan_memory.c)
$(B)/tests/jit/replay_file_test: tests/jit/replay_file_test.c $(PLAN_FILE_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $< $(PLAN_FILE_OBJ) $(LIB_OBJ) $(LDFLAGS) -lcmocka -lgc -lffi -lz -ldl -lm -o $@

# The compiler's table of intrinsics beside the VM's.
$(B)/tests/jit/plan_intrinsics_test: tests/jit/plan_intrinsics_test.c jit/plan/plan_intrinsics.def vm/natives/intrinsics.def \
                                $(call obj,jit/plan/plan_intrinsics.c) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $(filter %.c %.o,$^) $(LDFLAGS) -lcmocka -lgc -lffi -lz -ldl -lm -o $@

# Its ring is the test's own build of it. It copies stacks, of which a sanitizer has opinions.
$(B)/tests/ring/cab_model_test: tests/ring/cab_model_test.c $(addprefix profiler/ring/,cab.c cab.h queue.c queue.h \
                              fastforward.h lamport.h nway.h)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(filter-out -fsanitize%,$(CFLAGS)) $< $(filter-out -fsanitize%,$(LDFLAGS)) -lcmocka -o $@

# They call functions of the tool; one of them includes a file of it.
TOOL_ARCHIVE := $(B)/obj/profiler/tool/tool.a
$(TOOL_ARCHIVE): $(call obj,$(filter-out profiler/tool/prof_main.c,$(call sources,profiler/tool)))
	$(Q)rm -f $@ && ar rcs $@ $^
TESTS_OF_TOOL := $(B)/tests/profiler/layout_order_test $(B)/tests/profiler/overlap_test $(B)/tests/profiler/profile_file_test \
                 $(B)/tests/profiler/two_profiles_test
$(TESTS_OF_TOOL): $(TOOL_ARCHIVE)
$(TESTS_OF_TOOL): LDFLAGS += $(TOOL_ARCHIVE)

# Its profiler_thread_end is the test's.
$(B)/tests/vm/profile_end_test: LDFLAGS += -Wl,--wrap=instrument_hooks

# It decides when a wait begins and which threads start.
$(B)/tests/profiler/transport_test: LDFLAGS += -Wl,--wrap=pthread_cond_wait -Wl,--wrap=backend_start_helper -Wl,--wrap=stamp_now

# Tests of a booted VM. Each is linked with the VM as a separate libjvm.so (tests/vm/booted.h).
BOOTED_TESTS := $(patsubst %,$(B)/tests/vm/%_test,linking loading management runtime)
$(BOOTED_TESTS): %: %.vm/libjvm.so tests/vm/booted_main.c
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) tests/vm/booted_main.c $(LDFLAGS) -L$(<D) -ljvm -Wl,-rpath,'$$ORIGIN/$(@F).vm' -o $@
$(B)/tests/%.vm/libjvm.so: tests/%.c $(wildcard tests/*/*.h) tests/vm/booted.map vm/boot/libjvm.map $(LIB_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fPIC -shared $(LDFLAGS) -Wl,-soname,libjvm.so -Wl,--version-script=vm/boot/libjvm.map \
	    -Wl,--version-script=tests/vm/booted.map $< $(LIB_OBJ) -lcmocka -lgc -lffi -ljansson -lz -ldl -lm -o $@

# A VM that records what its simulated caches see, and the player of such records (tests/run/cache.py). The player runs
# under valgrind, so it has no sanitizer.
$(B)/tests/profiler/cache_record/libjvm.so: tests/profiler/cache_record.c tests/profiler/cache_trace.h $(LIB_OBJ)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -fPIC -shared $(LDFLAGS) -Wl,-soname,libjvm.so -Wl,--version-script=vm/boot/libjvm.map \
	    $< $(filter-out %/profiler/analyses/cache.o,$(LIB_OBJ)) -lgc -lffi -lz -ldl -lm -o $@
$(B)/tests/profiler/cache_play: tests/profiler/cache_play.c tests/profiler/cache_trace.h
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c17 -D_GNU_SOURCE -Wall -Wextra -Werror -O2 -g -I. $< -o $@

# The compiler's analyses on plans made by hand.
ANALYSIS_OBJ := $(call obj,$(filter jit/analysis/% jit/plan/%,$(JIT_SRC)))
$(B)/tests/jit/strip_mining_test $(B)/tests/jit/code_versions_test: $(B)/tests/%: tests/%.c tests/jit/plans.h $(ANALYSIS_OBJ) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $(filter %.c %.o,$^) $(LDFLAGS) -lcmocka -lgc -lffi -lz -ldl -lm -o $@

# Escape analysis on IR made by hand.
ESCAPE_OBJ := $(call obj,$(filter jit/escape/%,$(JIT_SRC)) jit/analysis/frequency.c)
$(B)/tests/jit/escape_test: tests/jit/escape_test.c $(ESCAPE_OBJ) $(BACKEND_OBJ)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $(LLVM_CFLAGS) $(filter %.c %.o,$^) $(LDFLAGS) $(JIT_LIBS) -lcmocka -lm -ldl -o $@

$(B)/tests/%: tests/%.c $(wildcard tests/*/*.h) $(LIB_OBJ)
	@mkdir -p $(@D)
	@echo "  TEST  $@"
	$(Q)$(CC) $(CFLAGS) $(addprefix -isystem ,$(JDK_INCLUDE) $(JDK_INCLUDE)/linux) $(filter %.c %.o,$^) $(LDFLAGS) -lcmocka -lgc -lffi -ljansson -lz -ldl -lm -o $@

unit-tests: $(UNIT_TESTS)
test-unit: all unit-tests
	@scripts/test $(B) unit
test-e2e: all
	@scripts/test $(B) e2e
test-oracle: all
	@scripts/test $(B) oracle
# Applications from Debian packages, unmodified, without and with a profile, and profiles compared with
# those of rewritten classes: installs the packages that are missing.
test-apps:
	@scripts/setup packages-test.txt packages-apps.txt
	@$(MAKE) --no-print-directory all
	@scripts/test $(B) apps apps-profile apps-oracle
check-layers: all
	@scripts/check-layers $(B)
	@scripts/check-words
	@scripts/check-files
	@scripts/check-format
# Every part of the tests with assertions; `make test` has all unit tests with them, and in some turns programs (tests/run/asserts).
test-asserts: setup-test
	@ASSERTS=all tests/run/asserts
# The build with assertions: mutants of another seed each time, collecting all the time, a soak. STRESS=all
# and SOAK=SECONDS are the long forms.
stress:
	@$(MAKE) --no-print-directory DEBUG=1 all
	@CABERNET_SEED=random scripts/test build/debug mutants stress

# ---- experiments ---------------------------------------------------------------------------------

# Overhead and accuracy of sampling, as the tables of Arnold and Ryder's paper have them, in half an hour; QUICK=1
# takes three minutes (benchmarks/harness/arnold-ryder has all variables).
bench-arnold-ryder:
	@scripts/setup packages-test.txt packages-apps.txt packages-bench.txt
	@$(MAKE) --no-print-directory all
	@BUILD=$(B) benchmarks/harness/arnold-ryder

# Cost of concurrent analysis and accuracy of sampling in consumers, as in Figures 7 to 12, 16 and 17 of the paper on
# Cache-friendly Asymmetric Buffering: two hours, with QUICK=1 ten minutes (benchmarks/cab/bench has all variables).
bench-cab:
	@scripts/setup packages-test.txt packages-bench.txt
	@$(MAKE) --no-print-directory all
	@BUILD=$(B) benchmarks/cab/bench
# The steps of concurrent analysis and the cost model's forecast, on four kernels in 5 minutes.
bench-cost:
	@scripts/setup packages-test.txt packages-bench.txt
	@$(MAKE) --no-print-directory all
	@BUILD=$(B) FIGURES=8 MODE="$${MODE-native}" PROGRAMS="$${PROGRAMS-queens crc dispatch sort}" RUNS=$${RUNS-2} ITERATIONS=$${ITERATIONS-7} SKIP=$${SKIP-4} \
	ANALYSES="$${ANALYSES-method-count call-edge call-tree path cache}" BUDGET=$${BUDGET-300} OUT=$${OUT-$(B)/bench/cost} benchmarks/cab/bench
# Rings of threads and rings of carriers, in 15 minutes (benchmarks/cab/rings has the variables).
bench-rings: all
	@BUILD=$(B) benchmarks/cab/rings
# Every kernel and application compared with java, and where each spends its time, in 20 minutes; QUICK=1: some of them
# in 3 (benchmarks/c2/bench has all variables).
bench-c2:
	@scripts/setup packages-test.txt packages-apps.txt packages-bench.txt
	@$(MAKE) --no-print-directory all
	@BUILD=$(B) benchmarks/c2/bench
# The first second of programs with other thresholds of compilation, in 15 minutes; QUICK=1: in one.
bench-thresholds:
	@scripts/setup packages-test.txt packages-apps.txt packages-bench.txt
	@$(MAKE) --no-print-directory all
	@BUILD=$(B) benchmarks/c2/thresholds
# Pauses and throughput of collection, by the amount of live data.
bench-gc: all
	@BUILD=$(B) benchmarks/gc/bench
# Cost and accuracy of shadows.
bench-shadow: all
	@BUILD=$(B) benchmarks/shadow/bench
# Cost of productions and accuracy of their samples, as in Figures 6 to 10 of their paper: 90 minutes, with QUICK=1 ten
# (benchmarks/hps/bench has all variables).
bench-hps:
	@scripts/setup packages-test.txt packages-apps.txt packages-bench.txt
	@$(MAKE) --no-print-directory all
	@BUILD=$(B) benchmarks/hps/bench
# Decisions of the compiler by sampled profiles beside those by the counts of the baseline tier.
bench-decisions: all
	@BUILD=$(B) benchmarks/decisions/bench
# Cost of profiles of threads and locks.
bench-threads: all
	@BUILD=$(B) benchmarks/threads/profile

# Tables and figures of the five papers beside what this machine measures, in 40 minutes; QUICK=1: in 10; FULL=1: in a
# night. An interrupted run is resumed (benchmarks/papers/bench has all variables). make -s bench-papers
# PAGE=benchmarks/results/PAPERS.md writes the page of the results.
bench-papers:
	@scripts/setup packages-test.txt packages-apps.txt packages-bench.txt
	@$(MAKE) --no-print-directory all
	@BUILD=$(B) benchmarks/papers/bench

# ---- install, clean, help --------------------------------------------------------------------------

install: all man completions
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/cabernet
	install $(PROGRAMS) $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(B)/lib/libjvm.so $(B)/lib/libcabernet-jit.so $(DESTDIR)$(PREFIX)/lib/cabernet
	install -d $(DESTDIR)$(PREFIX)/lib/cabernet/java/cabernet
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions
	install -m 644 $(MAN) $(DESTDIR)$(PREFIX)/share/man/man1
	$(B)/cabernet-prof completion bash >$(DESTDIR)$(PREFIX)/share/bash-completion/completions/cabernet-prof
	$(B)/cabernet-prof completion zsh >$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_cabernet-prof
	install -m 644 $(B)/man/cabernet.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cabernet
	install -m 644 $(B)/man/cabernet-bench.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cabernet-bench
	install -m 644 $(B)/man/cabernet.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_cabernet
	install -m 644 $(B)/man/cabernet-bench.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_cabernet-bench
	install -m 644 $(PAGE) $(DESTDIR)$(PREFIX)/lib/cabernet
	install -m 644 $(B)/lib/java/cabernet/*.class $(DESTDIR)$(PREFIX)/lib/cabernet/java/cabernet
	$(if $(strip $(INTEGRATIONS)),install -m 644 $(INTEGRATIONS) $(DESTDIR)$(PREFIX)/lib/cabernet)
	install -d $(DESTDIR)$(PREFIX)/lib/cabernet/driver
	install -m 644 $(dir $(DRIVER))*.class $(DESTDIR)$(PREFIX)/lib/cabernet/driver
	install -d $(DESTDIR)$(PREFIX)/lib/cabernet/productions
	install -m 644 $(PRODUCTIONS) $(DESTDIR)$(PREFIX)/lib/cabernet/productions

# A Debian package of the same, in $(B)/deb.
deb:
	@scripts/setup packages-deb.txt
	@$(MAKE) --no-print-directory all man completions
	@scripts/deb $(B)

clean:
	rm -rf build

help:
	@echo "make            build $(B)/cabernet, cabernet-prof, cabernet-bench, lib/libjvm.so and libcabernet-jit.so"
	@echo "make integrations   archives for JUnit 5, JMH and DaCapo, and what is missing for them"
	@echo "make demo       set up, build, run a bundled program with a profile and print the report"
	@echo "make test       set up, build and run the tests; of those that take long a sixth, chosen by the commit (TURN=N: another)"
	@echo "make test-all   the same with all that take long; the results become benchmarks/results/test-all.md"
	@echo "make test-unit | test-e2e | test-oracle | test-apps | check-layers    one part of the tests"
	@echo "make test-asserts    every test with assertions on (make test: all unit tests)"
	@echo "make stress     mutants, collections everywhere, thousands of threads, a soak (STRESS=all SOAK=SECONDS: the long form)"
	@echo "make bench-threads         what profiles of threads and locks cost"
	@echo "make bench-arnold-ryder    overhead and accuracy of sampling (QUICK=1: a short form)"
	@echo "make bench-thresholds      the first second of programs with other thresholds of compilation (QUICK=1: a short form)"
	@echo "make bench-c2     kernels and applications beside java: times, and where they go on both (QUICK=1: a short form)"
	@echo "make bench-cab    concurrent analysis in the form of its paper's figures, both thread modes, in two hours (QUICK=1: 10 minutes)"
	@echo "make bench-cost   steps of concurrent analysis, and which analyses gain by the cost model, in 5 minutes"
	@echo "make bench-rings  rings of threads and of carriers: processor time, and memory of 100,000 green threads"
	@echo "make bench-gc     collection: pauses and throughput by how much lives, beside java's"
	@echo "make bench-shadow shadows: accuracy, slowdown, page faults, coverage by load and length; invariance; pauses (QUICK=1: a short form)"
	@echo "make bench-hps    productions: what they cost, and how good their samples are, in 90 minutes (QUICK=1: 10)"
	@echo "make bench-papers          tables and figures of the five papers beside this machine, in 40 minutes (QUICK=1: 10; FULL=1: a night)"
	@echo "make bench-decisions       decisions of the compiler by sampled profiles beside those by counts"
	@echo "make install PREFIX=/usr/local"
	@echo "make deb        a Debian package of what make install installs"
	@echo "make SANITIZE=1 | DEBUG=1 | CC=clang ...    other builds"
