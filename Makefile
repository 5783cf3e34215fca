# SPDX-License-Identifier: GPL-2.0
#
# Builds UET for Linux: the module (out of tree, for any number of kernels), the
# tools, and the core as a userspace library with the tests that link the library.
# All output goes below build/.  "make help" lists the targets.  Kbuild lists the
# objects of the module.  Documentation/testing.rst explains the tests.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
MAKEFLAGS += --no-builtin-rules --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:

B := build

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin AR),default)
AR := ar
endif
CLANG ?= clang-14
PREFIX ?= /usr/local
DESTDIR ?=
JOBS ?= $(shell nproc)

# The kernel to build for: the running kernel if its headers are installed, else the
# newest installed 6.1 headers.
KDIR ?= $(or $(patsubst %/Makefile,%,\
	$(wildcard /lib/modules/$(shell uname -r)/build/Makefile)),\
	$(shell ls -d /usr/src/linux-headers-6.1.*[0-9]-a*64 2>/dev/null | \
		sort -V | tail -n 1))
# The kernel that the VM of "make check" and "make demo" boots.
KERNEL ?= 6.1
# Seconds that "make fuzz" spends on each target.
FUZZ_SECONDS ?= 600

V ?= 0
ifeq ($(V),1)
Q :=
say := @:
else
Q := @
say := @printf '  %-7s %s\n'
endif

.PHONY: all
all: module lib tools

# Names what is missing on a bare machine, before a compiler complains.
NEEDED_LIBS = libmnl json-c libnl-3.0 libnl-genl-3.0 inih libsystemd libcrypto
.PHONY: needs
needs:
	$(Q)command -v $(firstword $(CC)) > /dev/null && \
		pkg-config --exists $(NEEDED_LIBS) 2> /dev/null || { \
		missing=$$(tools/check/deps --missing); \
		echo "make: needed, and not here: $${missing:-$(firstword $(CC)), or \
			pkg-config with $(NEEDED_LIBS)}" | tr -s ' \t' ' ' >&2; \
		echo "make: \"make deps-build\" installs it, as root" >&2; \
		exit 1; }

# --- module ----------------------------------------------------------------
#
# kbuild puts objects beside the sources.  Each kernel therefore gets its own tree of
# links, so that objects of different kernels do not mix.  The package of the headers
# depends on the compiler.

krelease = $(shell sed -n 's/^.define UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
kout = $(abspath $(B))/kernel/$(krelease)

no_kernel = $(if $(KDIR),KDIR=$(KDIR) holds no headers of a kernel that was configured,no \
	headers of the running kernel $(shell uname -r): \"make deps-build\" installs \
	them (linux-headers-$(shell uname -r)); KDIR=DIR builds for another kernel)

.PHONY: module
module:
	$(Q)[ -n "$(krelease)" ] || { echo "make: $(no_kernel)" >&2; exit 1; }
	$(say) MODULE $(B)/kernel/$(krelease)/uet.ko
	$(Q)mkdir -p $(kout)
	$(Q)flock $(kout) sh -c 'find $(kout) -xtype l -delete && \
		cp -rsf $(addprefix $(CURDIR)/,Kbuild kernel uapi) $(kout) && \
		$(MAKE) -C $(KDIR) M=$(kout) $(kbuild_quiet) $(kbuild_jobs) \
			modules' 2> >(grep -v '^Skipping BTF generation' >&2)

kbuild_quiet = $(if $(filter 0,$(V)),-s)
kbuild_jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))

# --- the core in userspace ---------------------------------------------------

# As in the kernel, a function may ignore parameters that its type requires.
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Werror
UFLAGS = -std=gnu11 -g $(WARNINGS) -MMD -MP \
	-iquote kernel -Itools/lib -Iselftests/lib -Iuapi $(INCLUDES) $(CFLAGS)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer

core := $(patsubst kernel/core/%.c,%,$(wildcard kernel/core/*/*.c))
plain_objs := $(core:%=$(B)/lib/plain/%.o)
asan_objs := $(core:%=$(B)/lib/asan/%.o)
fuzz_objs := $(core:%=$(B)/lib/fuzz/%.o)

.PHONY: lib
lib: $(B)/lib/libuetcore.a

$(B)/lib/plain/%.o: kernel/core/%.c Makefile | needs
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O1 -c -o $@ $<

$(B)/lib/asan/%.o: kernel/core/%.c Makefile | needs
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O1 $(SANITIZE) -c -o $@ $<

$(B)/lib/fuzz/%.o: kernel/core/%.c Makefile
	$(say) CLANG $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(UFLAGS) -O1 $(SANITIZE) -fsanitize=fuzzer-no-link \
		-c -o $@ $<

$(B)/lib/libuetcore.a: $(plain_objs)
$(B)/lib/libuetcore-asan.a: $(asan_objs)
$(B)/lib/libuetcore-fuzz.a: $(fuzz_objs)
$(B)/lib/%.a:
	$(say) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# --- tools --------------------------------------------------------------------

# Files that the build writes from tables.
counters_page := $(B)/man/uet-counters.7
dashboard := $(B)/exporter/uet.json

.PHONY: tools
tools: $(B)/ueadm $(B)/uetcat $(B)/uetperf $(B)/uetd libuet $(counters_page) \
	$(dashboard) $(B)/uetize $(B)/libuetize.so $(B)/uet-cni

$(counters_page): Documentation/man/counters.awk kernel/core/mib.def kernel/core/drop.def
	$(say) MAN $@
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $^ > $@

$(dashboard): tools/exporter/dashboard
	$(say) JSON $@
	$(Q)mkdir -p $(@D)
	$(Q)python3 $< > $@

tool_objs = $(patsubst %.c,$(B)/obj/%.o,$(wildcard tools/$(1)/*.c tools/$(1)/*/*.c))

$(B)/ueadm: $(call tool_objs,ueadm)
$(B)/uetcat: $(call tool_objs,uetcat)
$(B)/uetperf: $(call tool_objs,uetperf)
# uetd's parser and planner of configurations; ueadm links both.
$(B)/ueadm: $(patsubst %.c,$(B)/obj/%.o,$(wildcard daemon/conf/*.c daemon/model/*.c \
	daemon/netlink/kernel*.c daemon/netlink/link.c daemon/plan/*.c daemon/state/*.c)) \
	$(B)/lib/libuetcore.a
$(call tool_objs,ueadm): INCLUDES = -iquote tools/ueadm -iquote daemon
$(B)/ueadm: LIBS = $$(pkg-config --libs libmnl json-c libnl-3.0 libnl-genl-3.0 \
	inih libsystemd libcrypto)
$(B)/uetperf: LIBS = $$(pkg-config --libs json-c libmnl) -pthread
$(B)/ueadm $(B)/uetcat $(B)/uetperf:
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/obj/tools/%.o: tools/%.c Makefile | needs
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O2 -c -o $@ $<

# --- libuet -------------------------------------------------------------------
#
# The library for applications, shared and static.

libuet_name := libuet.so.0
libuet_file := $(libuet_name).1
libuet_sources := $(wildcard tools/libuet/*.c)
libuet_objs := $(libuet_sources:tools/libuet/%.c=$(B)/libuet/obj/%.o)
libdir = $(PREFIX)/lib
man3dir = $(PREFIX)/share/man/man3

.PHONY: libuet
libuet: $(B)/libuet/$(libuet_file) $(B)/libuet/libuet.a

$(B)/libuet/obj/%.o: tools/libuet/%.c Makefile | needs
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O2 -fPIC -fvisibility=hidden -c -o $@ $<

$(B)/libuet/libuet.a: $(libuet_objs)
	$(say) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# Links as an installation has them.
$(B)/libuet/$(libuet_file): $(libuet_objs) tools/libuet/libuet.map
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-soname,$(libuet_name) -Wl,-z,defs \
		-Wl,--version-script,tools/libuet/libuet.map -o $@ $(libuet_objs)
	$(Q)ln -sf $(libuet_file) $(@D)/$(libuet_name)
	$(Q)ln -sf $(libuet_name) $(@D)/libuet.so

include tools/rdma/rdma.mk

# --- the libfabric provider -----------------------------------------------------
#
# Not part of "tools": it needs libfabric-dev.

# Two shared objects: the same provider as "uet" and, beside another "uet", as "uet_linux".
fabric_provider := $(addprefix $(B)/libfabric/,libuet-fi.so libuet_linux-fi.so)
libfabric_sources := $(wildcard tools/libfabric/*.c)
libfabric_objs := $(filter-out %/entry.o %/alias.o,\
	$(libfabric_sources:tools/libfabric/%.c=$(B)/libfabric/obj/%.o))
# Where libfabric looks for providers.
fabricdir = $(DESTDIR)$(PREFIX)/lib/libfabric

.PHONY: libfabric
libfabric: $(fabric_provider)

$(B)/libfabric/obj/%.o: tools/libfabric/%.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -D_GNU_SOURCE -O2 -fPIC -fvisibility=hidden -c -o $@ $<

# Tests that need libfabric-dev, too, and three that need libopenmpi-dev; packages are built
# without tests.
fabric_tests := $(addprefix $(B)/libfabric/,nccl_calls event_calls object_calls waits_calls \
	mpi_many mpi_waits mpi_suite)

$(B)/libfabric/%_calls: selftests/libfabric/%_calls.c selftests/libfabric/must.h
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -D_GNU_SOURCE -O1 -o $@ $< $$(pkg-config --libs libfabric) -pthread

# mpi_suite has functions that the programs which it loads call.
$(B)/libfabric/mpi_%: selftests/libfabric/mpi_%.c
	$(say) MPICC $@
	$(Q)mkdir -p $(@D)
	$(Q)OMPI_CC="$(CC)" mpicc.openmpi $(UFLAGS) -O1 -rdynamic -o $@ $<

$(B)/libfabric/libuet-fi.so: $(B)/libfabric/obj/entry.o
$(B)/libfabric/libuet_linux-fi.so: $(B)/libfabric/obj/alias.o
$(fabric_provider): $(libfabric_objs)
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -shared -Wl,-z,defs -o $@ $^ \
		$$(pkg-config --libs libfabric libmnl) -pthread

# --- the Python module uet ------------------------------------------------------
#
# The extension module is for all versions of Python from 3.9 on (abi3).  An interpreter
# with cffi writes its source; that may be another one than runs the module.

python_found = $(shell for python in python3 /usr/bin/python3; do \
	$$python -c 'import cffi' 2> /dev/null && echo $$python && break; done)
PYTHON = $(or $(python_found),python3)
python_include = $(shell $(PYTHON) -c 'import sysconfig; \
	print(sysconfig.get_path("include"))')
python_sources := $(wildcard tools/python/uet/*.py)
python_files := $(B)/python/uet/_uet.abi3.so \
	$(python_sources:tools/python/%=$(B)/python/%)
# Where Debian's Python looks: below /usr one folder for all versions, elsewhere its own.
pythondir = $(PREFIX)/lib/python3$(if $(filter-out /usr,$(PREFIX)),$(shell \
	/usr/bin/python3 -c 'import sys; print(".%d" % sys.version_info[1])'))/dist-packages

.PHONY: python
python: $(python_files)

$(B)/python/_uet.c: tools/python/declare tools/libuet/uet.h uapi/linux/uet.h Makefile
	$(say) PYTHON $@
	$(Q)mkdir -p $(@D)
	$(Q)$(PYTHON) $< $@ $(CC) -Itools/libuet -Iuapi

$(B)/python/uet/_uet.abi3.so: $(B)/python/_uet.c $(B)/libuet/$(libuet_file)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -g -O2 -Wall -Werror -fPIC -shared -Itools/libuet -Iuapi \
		-isystem $(python_include) $(CFLAGS) $(LDFLAGS) -o $@ $< \
		-L$(B)/libuet -luet

$(B)/python/uet/%.py: tools/python/uet/%.py
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@

# --- daemon -------------------------------------------------------------------
#
# A library of all files but main.c serves the unit tests.

DAEMON_LIBS = libnl-3.0 libnl-genl-3.0 libsystemd inih libcrypto
# The tables of the core.
DAEMON_FLAGS = -D_GNU_SOURCE -iquote daemon $(shell pkg-config --cflags $(DAEMON_LIBS))
daemon_sources := $(wildcard daemon/*.c daemon/*/*.c)
daemon_objs := $(daemon_sources:%.c=$(B)/obj/%.o)
daemon_asan_objs := $(patsubst %.c,$(B)/lib/asan/%.o,\
	$(filter-out daemon/main.c,$(daemon_sources)))

$(B)/uetd: $(daemon_objs) $(B)/lib/libuetcore.a
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $$(pkg-config --libs $(DAEMON_LIBS))

$(B)/obj/daemon/%.o: daemon/%.c Makefile | needs
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) $(DAEMON_FLAGS) -O2 -c -o $@ $<

$(B)/lib/asan/daemon/%.o: daemon/%.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) $(DAEMON_FLAGS) -O1 $(SANITIZE) -c -o $@ $<

$(B)/lib/libuetd-asan.a: $(daemon_asan_objs)

# --- tests ----------------------------------------------------------------------

include $(wildcard selftests/unit/rules.mk)

net_sources := $(wildcard selftests/net/*/*.c)
net_program = $(B)/net/$(basename $(notdir $(1)))
net_tests := $(foreach source,$(net_sources),$(call net_program,$(source)))
net_sanitized := $(B)/net/libuet_calls_asan $(B)/net/libuet_threads_tsan
examples := $(patsubst Documentation/%.c,$(B)/%,\
	$(wildcard Documentation/examples/*.c))
bench_tests := $(patsubst %.c,$(B)/%,$(wildcard selftests/bench/*_peer.c)) \
	$(B)/selftests/bench/ktls.so $(B)/selftests/bench/cpu_lines.so \
	$(B)/selftests/bench/cpu_steady.so $(B)/selftests/bench/netns_load \
	$(B)/selftests/bench/rtnl_latency $(B)/selftests/bench/region_cost \
	$(B)/selftests/bench/call_cost $(B)/selftests/bench/pdc_scale
fuzz_targets := $(patsubst tools/fuzz/%.c,$(B)/fuzz/%,\
	$(wildcard tools/fuzz/fuzz_*.c))
model_sources := $(wildcard tools/model/*.c)
sim_sources := $(wildcard tools/sim/*.c) $(model_sources)
sims := $(if $(sim_sources),$(B)/sim/uetsim $(B)/sim/uetsim-asan)

fabric_sources := $(wildcard tools/fabric/*.c)

.PHONY: tests unit-tests net-tests examples bench-tests fuzz-targets sim sim-check fabric
.PHONY: explore
tests: unit-tests net-tests bench-tests fuzz-targets sim
unit-tests: $(unit_tests)
net-tests: $(net_tests) $(net_sanitized) $(examples) python
examples: $(examples)
bench-tests: $(bench_tests)
fuzz-targets: $(fuzz_targets)
sim: $(sims) fabric explore
fabric: $(B)/sim/uetfabric $(B)/sim/uetfabric-asan
# What sim:check needs, without the builds with sanitizers.
sim-check: $(B)/sim/uetsim $(B)/sim/uetfabric explore
explore: $(B)/explore/uetexplore $(B)/explore/uetexplore-planted

# Programs that run a model beside each PDC: the linker redirects calls through the
# model.
model_wrap := $(shell sed -n 's/.*__wrap_\([a-z_]\+\).*/-Wl,--wrap=\1/p' \
	tools/model/shadow.c)
model_fuzz_objs := $(model_sources:%.c=$(B)/fuzz/obj/%.o)

# Fuzzing explores the core, so the model is not instrumented.
$(B)/fuzz/obj/%.o: %.c Makefile
	$(say) CLANG $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(UFLAGS) -O1 $(SANITIZE) -c -o $@ $<

$(B)/fuzz/fuzz_pdc_model: $(model_fuzz_objs)
$(B)/fuzz/fuzz_pdc_model: FUZZ_LDFLAGS = $(model_wrap)

# Programs that run inside the VM and use the kernel's interface only.  Their sources
# are in folders by subject; the programs share one folder, which is on PATH.
$(foreach source,$(net_sources),\
	$(eval $(call net_program,$(source)): $(source) Makefile))
$(net_tests):
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -g -O1 $(WARNINGS) -MMD -MP -Iselftests/lib \
		-Itools/lib -Iuapi $(INCLUDES) $(CFLAGS) -pthread -o $@ $< $(LIBS)

# This program decodes captures with the codec of the core.
$(B)/net/wire_core: INCLUDES = -iquote kernel
$(B)/net/wire_core: LIBS = $(B)/lib/libuetcore.a
$(B)/net/wire_core: $(B)/lib/libuetcore.a
$(B)/net/libuet_%: INCLUDES = -Itools/libuet
$(B)/net/libuet_%: LIBS = $(B)/libuet/libuet.a
$(addprefix $(B)/net/libuet_,calls coll ranks threads): $(B)/libuet/libuet.a

# The library itself, with sanitizers, which the VM does not have to have.
$(B)/net/libuet_calls_asan: SANITIZERS = $(SANITIZE) -static-libasan -static-libubsan
$(B)/net/libuet_threads_tsan: SANITIZERS = -fsanitize=thread -static-libtsan
$(B)/net/libuet_%_asan $(B)/net/libuet_%_tsan: selftests/net/api/libuet_%.c \
		$(libuet_sources) Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -Itools/libuet -O1 -g $(SANITIZERS) -pthread -o $@ $< \
		$(libuet_sources)
$(B)/net/sock_uring: LIBS = -luring
$(B)/net/polkit_double: LIBS = -lsystemd
$(B)/net/tss_frames $(B)/net/tss_attack: LIBS = -lcrypto

soak_sources := $(wildcard selftests/soak/*.c)
$(B)/selftests/soak/soak_flow: $(soak_sources) $(wildcard selftests/soak/*.h) Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) -Iselftests/lib -Itools/lib \
		-Iuapi $(CFLAGS) -o $@ $(soak_sources)

# Further transports for "make bench".
$(B)/selftests/bench/%: selftests/bench/%.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) -MMD -MP -Iselftests/lib \
		-Itools/lib -Iuapi $(INCLUDES) $(CFLAGS) -o $@ $< $(LIBS)

bench_libuet := $(B)/selftests/bench/call_cost $(B)/selftests/bench/pdc_scale
$(bench_libuet): INCLUDES = -Itools/libuet
$(bench_libuet): LIBS = $(B)/libuet/libuet.a
$(bench_libuet): $(B)/libuet/libuet.a

# The preload library that enables kernel TLS on a TCP connection.
$(B)/selftests/bench/%.so: selftests/bench/%.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -g -O2 $(WARNINGS) -MMD -MP -shared -fPIC \
		$(CFLAGS) -o $@ $<

# Examples that users copy, compiled as users compile them.
$(B)/examples/%: Documentation/examples/%.c $(B)/libuet/libuet.a Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -g -O2 $(WARNINGS) -MMD -MP -Iuapi -Itools/libuet $(CFLAGS) -o $@ $< \
		$(B)/libuet/libuet.a

$(B)/fuzz/%: tools/fuzz/%.c $(B)/lib/libuetcore-fuzz.a Makefile
	$(say) CLANG $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(UFLAGS) -O1 $(SANITIZE) -fsanitize=fuzzer \
		$(FUZZ_LDFLAGS) -o $@ $< $(filter %.o,$^) \
		$(B)/lib/libuetcore-fuzz.a

sim_plain_objs := $(sim_sources:%.c=$(B)/sim/plain/%.o)
sim_asan_objs := $(sim_sources:%.c=$(B)/sim/asan/%.o)

$(B)/sim/plain/%.o: %.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O2 -c -o $@ $<

$(B)/sim/asan/%.o: %.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O1 $(SANITIZE) -c -o $@ $<

$(B)/sim/uetsim: $(sim_plain_objs) $(B)/lib/libuetcore.a
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) $(model_wrap) -o $@ $^ -lcrypto

$(B)/sim/uetsim-asan: $(sim_asan_objs) $(B)/lib/libuetcore-asan.a
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) $(SANITIZE) $(model_wrap) -o $@ $^ -lcrypto

include tools/explore/explore.mk

# A large fabric takes minutes: the core is compiled for speed, across its files.
$(B)/sim/fast/%.o: %.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O2 -flto -c -o $@ $<

$(B)/sim/uetfabric: $(fabric_sources:%.c=$(B)/sim/fast/%.o) \
		$(core:%=$(B)/sim/fast/kernel/core/%.o)
	$(say) LD $@
	$(Q)$(CC) $(UFLAGS) -O2 -flto=auto $(LDFLAGS) -o $@ $^ -lm

$(B)/sim/uetfabric-asan: $(fabric_sources:%.c=$(B)/sim/asan/%.o) \
		$(B)/lib/libuetcore-asan.a
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) $(SANITIZE) -o $@ $^ -lm

# --- targets for people -----------------------------------------------------------
#
# Each of these targets may be the first command on a bare machine.  Packages are
# installed first, by a separate make, so that this file detects its dependencies
# after the installation.

# $(call logged,NAME,COMMANDS): run the commands and copy their output to a log.
logged = @mkdir -p $(B); { $(2); } 2>&1 | tee $(B)/$(1).log
# $(call prepare,TARGETS): install packages, then build the targets and the module
# for the VM; vm-kernel among them fetches its kernel meanwhile.
vm_kdir = KDIR="$$(selftests/vm/fetch-kernel --headers $(KERNEL))"
prepare = $(MAKE) deps && $(MAKE) -j$(JOBS) $(1) $(vm_kdir)

.PHONY: vm-kernel
vm-kernel:
	$(Q)selftests/vm/fetch-kernel $(KERNEL) > /dev/null

.PHONY: deps deps-build dist demo train check check-all check-debug check-race check-kernels
.PHONY: check-fabric check-rdma check-repeat check-smp check-stream check-system fabric-programs
.PHONY: rdma-programs stream-programs
.PHONY: coverage style mutants fuzz fuzz-long soak regen deb rpm system-packages
.PHONY: bench bench-congestion bench-cpus bench-fabric bench-floods bench-netns bench-rdma
deps:
	@tools/check/deps

deps-build:
	@tools/check/deps --build

demo:
	$(call logged,demo,$(call prepare,vm-kernel module tools) && \
		VM_OUT=$(CURDIR)/$(B) selftests/vm/run --kernel $(KERNEL) \
		--timeout 300 --log $(B)/demo-console.log -- selftests/demo/run)

# The logs of the training, and a plot of them, are in build/train/.
train:
	$(call logged,train,tools/check/deps python3-matplotlib && \
		$(call prepare,module tools net-tests) && \
		VM_OUT=$(CURDIR)/$(B) selftests/vm/run --kernel $(KERNEL) --icount \
		--list selftests/net/api/memory.list --timeout 1200 -- \
		selftests/net/run train && \
		/usr/bin/python3 Documentation/examples/train/plot.py $(B)/train/plot.png \
		$(B)/train/uet.csv $(B)/train/tcp.csv)

check:
	$(call logged,check,$(call prepare,vm-kernel all unit-tests net-tests \
			fuzz-targets sim-check) && \
		selftests/run style:check unit:check sim:check fuzz demo net:$(KERNEL):check)

# The most valuable tests first: a BUDGET cuts off the end.
RINGS ?= style unit sim fuzz demo mutants smp net:6.1 net:debug net:6.12 net:7.2 net:race system:6.1 \
	libfabric:6.1 stream:6.1 rdma:6.1 unit:s390x cpus
check-all:
	$(call logged,check-all,tools/check/deps python3-matplotlib && \
		$(call prepare,all tests) && UET_CHAOS_S=$(or $(UET_CHAOS_S),600) \
		selftests/run $(if $(BUDGET),--seconds $(BUDGET)) $(RINGS))

check-debug:
	$(call logged,check-debug,$(call prepare,tools net-tests) && \
		selftests/run net:debug)

check-race:
	$(call logged,check-race,$(call prepare,tools net-tests) && \
		selftests/run net:race)

check-smp:
	$(call logged,check-smp,$(call prepare,vm-kernel module tools net-tests) && \
		selftests/run smp:$(KERNEL))

check-kernels:
	$(call logged,check-kernels,$(call prepare,module tools net-tests) && \
		selftests/run module:5.10 module:6.1 net:6.1 net:6.12 net:7.2)

# TESTS="sizes netlink": these only.
check-repeat:
	$(call logged,check-repeat,tools/check/deps stress-ng || :; \
		$(call prepare,module tools net-tests) && \
		KERNEL=$(KERNEL) selftests/repeat $(TESTS))

coverage:
	$(call logged,coverage,$(MAKE) deps && tools/check/coverage)

style:
	$(call logged,style,$(MAKE) deps && selftests/run style)

mutants:
	$(call logged,mutants,$(MAKE) deps && selftests/run mutants)

fuzz: fuzz-targets
	FUZZ_SECONDS=$(FUZZ_SECONDS) selftests/fuzz/run

fuzz-long:
	$(call logged,fuzz-long,$(MAKE) deps && $(MAKE) -j$(JOBS) fuzz-targets && \
		selftests/fuzz/long)

# Rows for rxe are left out if its packages are missing.  CABLE: model of the NICs.
CABLE = e1000e
bench:
	$(call logged,bench,tools/check/deps perftest ibverbs-providers || :; \
		$(call prepare,module tools bench-tests) && \
		selftests/vm/run --kernel $(KERNEL) --icount --timeout 1800 \
		--cable $(CABLE) -- selftests/bench/run)

# UET beside TCP on a slow port: round trips, losses, rails, shares.
bench-congestion:
	$(call logged,bench-congestion,$(call prepare,module tools) && \
		selftests/vm/run --kernel $(KERNEL) --icount --timeout 7200 -- \
		selftests/bench/congestion)

# What several CPUs cost each other, UET beside TCP; SYMBOLS=N: the N worst functions, too.
SYMBOLS = 0
bench-cpus:
	$(call logged,bench-cpus,$(call prepare,module tools bench-tests) && \
		selftests/bench/cpus --kernel $(KERNEL) --symbols $(SYMBOLS))

# libfabric's and Open MPI's messages over UET and over others.
bench-fabric:
	$(call logged,bench-fabric,tools/check/deps ibverbs-providers || :; \
		$(call prepare,module tools bench-tests fabric-programs) && \
		selftests/vm/run --kernel $(KERNEL) --icount --timeout 3600 --mem 4096 \
		--list selftests/libfabric/memory.list -- selftests/bench/fabric)

# RDMA devices beside each other: uet and rxe.
bench-rdma:
	$(call logged,bench-rdma,$(MAKE) rdma-programs && $(call prepare,module tools) && \
		selftests/vm/run --kernel $(KERNEL) --icount --timeout 3600 \
		--list selftests/rdma/memory.list -- selftests/bench/rdma)

# The victim's instructions for each packet of floods.
bench-floods:
	$(call logged,bench-floods,$(call prepare,module tools net-tests) && \
		selftests/vm/run --kernel $(KERNEL) --icount --timeout 1200 -- \
		selftests/bench/floods)

# NAMESPACES come and go: the latency of others.
NAMESPACES = 1000
bench-netns:
	$(call logged,bench-netns,$(call prepare,module tools bench-tests) && \
		selftests/vm/run --kernel $(KERNEL) --icount --timeout 1800 -- \
		selftests/bench/netns $(NAMESPACES))

# SOAK_CLOCK=real: on two CPUs, whose order nobody can repeat.
SOAK_CLOCK = virtual
soak_clock_virtual = --icount
soak_clock_real = --smp 2
SOAK_MESSAGES = 1000000
SOAK_SECONDS = 0
soak: export UET_SOAK_MESSAGES = $(SOAK_MESSAGES)
soak: export UET_SOAK_SECONDS = $(SOAK_SECONDS)
soak: export UET_SOAK_SEED = $(SOAK_SEED)
soak:
	$(call logged,soak,$(call prepare,module tools \
		$(B)/selftests/soak/soak_flow $(B)/net/notified) && \
		VM_OUT=$(CURDIR)/$(B) selftests/vm/run --kernel $(KERNEL) \
		$(or $(soak_clock_$(SOAK_CLOCK)),$(error SOAK_CLOCK is virtual or real, not "$(SOAK_CLOCK)")) \
		--mem 4096 --log $(B)/soak-console.log \
		--timeout $$((1200 + SOAK_SECONDS + SOAK_MESSAGES / 250)) \
		-- selftests/soak/run)

regen:
	@tools/check/regen

# Packages are built in a separate tree.
deb_deps = tools/check/deps dpkg-dev debhelper dh-dkms
deb:
	$(call logged,deb,$(deb_deps) && tools/debian/build)

rpm:
	$(call logged,rpm,{ command -v rpmbuild > /dev/null || tools/check/deps rpm; } && \
		tools/rpm/build)

# The sources of the last commit, for distributions; the same bytes for the same commit.
dist = uet-$(version)
dist:
	$(Q)git diff --quiet HEAD || { echo "make: dist: changes that no commit has" >&2; exit 1; }
	$(Q)mkdir -p $(B)
	$(Q)git archive --format=tar --prefix=$(dist)/ HEAD | xz -T1 > $(B)/$(dist).tar.xz
	@echo $(B)/$(dist).tar.xz

check-system:
	$(call logged,check-system,selftests/run system:$(KERNEL))

# Unmodified programs over the libfabric provider.  UET_FABTESTS=DIR adds fabtests,
# UET_MPI4PY=DIR the tests of mpi4py, UET_MPITESTS=DIR those of MPI.
fabric_deps = tools/check/deps libfabric-dev libfabric-bin openmpi-bin libopenmpi3 \
	libopenmpi-dev netpipe-openmpi python3-mpi4py python3-distutils hpcc lammps lammps-examples netbase
check-fabric:
	$(call logged,check-fabric,$(call prepare,module tools net-tests) && \
		selftests/run libfabric:$(KERNEL))

# Programs of rdma-core and perftest over uet_rdma.ko.
check-rdma:
	$(call logged,check-rdma,$(call prepare,module tools net-tests) && \
		selftests/run rdma:$(KERNEL))

rdma-programs:
	$(call logged,rdma,tools/check/deps ibverbs-utils rdmacm-utils perftest && \
		$(MAKE) rdma-tests $(vm_kdir))

# The lists and the programs of MPI's tests, without sources and objects.
copy_mpitests = into=$$(readlink -f $(B)/mpitests) && cd "$$UET_MPITESTS" && \
	find . -mindepth 2 -type f -not -path "*/.libs/*" -not -path "*/confdb/*" \
		"(" -name testlist -o -perm -100 -not -name "*.*" ")" \
		-exec cp --parents -t "$$into" {} +

# The packages, the provider, and copies of the suites that the VM sees.
fabric-programs:
	$(call logged,libfabric,$(fabric_deps) && $(MAKE) -j$(JOBS) libfabric \
		$(fabric_tests) && \
		rm -rf $(B)/fabtests $(B)/mpi4py $(B)/mpitests && \
		mkdir -p $(B)/fabtests $(B)/mpitests && \
		if [ -n "$$UET_FABTESTS" ]; then cp -r "$$UET_FABTESTS/bin" $(B)/fabtests; fi && \
		if [ -n "$$UET_MPI4PY" ]; then cp -r "$$UET_MPI4PY" $(B)/mpi4py; fi && \
		if [ -n "$$UET_MPITESTS" ]; then $(copy_mpitests); fi)

# Unmodified programs for TCP over streams, by uetize.
stream_deps = tools/check/deps iperf3 redis-server redis-tools nginx-light curl openssh-client \
	openssh-server rsync memcached libmemcached-tools postgresql netbase
check-stream:
	$(call logged,check-stream,$(call prepare,module tools) && \
		selftests/run stream:$(KERNEL))

stream-programs:
	$(call logged,stream,$(stream_deps))

# Files that the system ring tests.
system-packages:
	$(call logged,deb,$(deb_deps) dkms lintian systemd-sysv dbus polkitd && \
		tools/debian/build && $(MAKE) $(B)/net/msgs)

# The source of a package has no tests.
include $(wildcard selftests/mutants/rules.mk selftests/vm/cross.mk)

# --- installing -------------------------------------------------------------------

include tools/install.mk tools/uetize/uetize.mk tools/cni/cni.mk

.PHONY: clean help
clean:
	$(Q)rm -rf $(B)

define help_text
Targets
  all            module, tools and userspace library (default)
  module         build/kernel/RELEASE/uet.ko for the kernel at KDIR
  tools          build/ueadm, build/uetcat, build/uetperf, build/uetize, build/uetd, build/libuet
  lib            build/lib/libuetcore.a, the core in userspace
  python         build/python, the Python module uet
  libfabric      build/libfabric/libuet-fi.so, the libfabric provider
  rdma-provider  build/rdma/libuet-rdmav*.so, the provider of libibverbs, against the
                 sources of rdma-core (RDMA_CORE=DIR; else its source package)
  tests          test programs: unit-tests, sim (fabric, explore), fuzz-targets,
                 net-tests; build/examples
  install        module, tools, library, headers, man pages, completion and
                 systemd units (PREFIX, DESTDIR, libdir)
  install-python the Python module (PREFIX, DESTDIR, pythondir)
  install-libfabric  the libfabric provider (PREFIX, DESTDIR, fabricdir)
  install-rdma   the provider of libibverbs (PREFIX, DESTDIR, libdir, verbsdir, verbsconf)
  install-fabric the fabric simulator, build/sim/uetfabric (PREFIX, DESTDIR)
  uninstall      remove what these have installed, with the same variables
  deb            Debian packages: build/deb/*.deb
  rpm            packages for distributions with RPM: build/rpm/*.rpm
  dist           the sources of the last commit: build/uet-VERSION.tar.xz
  clean          remove build/

  deps           install the Debian packages that all of this needs
  deps-build     only those that "make" and "make install" need
  train          eight ranks train a network over two rails of a VM; one rail dies
  demo           a tour: two nodes in a VM, a file over two lossy rails
  check          style, unit, sim, fuzz and a net ring that touches everything, in
                 eleven minutes; ends with a count
  check-all      all tests there are, in hours: the whole net ring, on all kernels
                 (BUDGET=S: what fits in S seconds; RINGS="...": these)
  style          what scripts can say about the source; ends with a count
  check-debug    network tests on a kernel with KASAN, lockdep, kmemleak, ...
  check-race     tests in which CPUs contend, on a kernel with KCSAN: data races
  check-smp      the demo, and all operations at once, on four CPUs in real time
  check-arm64    cross-build and network tests for arm64 (KERNEL=6.1, 6.12-16k, 64k)
  check-kernels  builds for 6.1, 6.12 and 7.2, and network tests on each
  check-repeat   net tests again and again beside a load (TESTS="sizes netlink")
  check-fabric   Open MPI and other programs over the libfabric provider, in a VM
  check-stream   iperf3, redis, nginx, ... over streams of UET, by uetize, in a VM
  check-rdma     programs of rdma-core and perftest over uet_rdma.ko, in a VM
  check-system   the packages in a VM with systemd: boot, service, upgrade, purge
  coverage       lines and branches that tests execute; build/coverage/html
  soak           SOAK_MESSAGES (1000000) end to end while all is disturbed
  bench-congestion UET beside TCP on a slow port: round trips, losses, rails, shares
  bench-cpus     LOCKs, and cache lines that move between CPUs, UET beside TCP
  bench-fabric   instructions of libfabric's and Open MPI's messages, UET beside others
  bench-floods   instructions of the victim for each packet of floods
  bench-rdma     instructions of writes and sends over RDMA devices: uet, rxe
  bench-netns    latency of others while NAMESPACES (1000) with FEPs come and go
  bench          instructions per byte and round trip of UET, TCP, TLS, RDS, rxe
  mutants        do the unit tests see small changes of the core? names those they do not
  fuzz           fuzz each target for FUZZ_SECONDS
  fuzz-long      FUZZ_DECODES executions of decoders, FUZZ_EVENTS events of PDCs
  regen          files generated from the netlink specification (KSRC)

Variables
  KDIR=DIR       build directory of the kernel to build for
                 now: $(KDIR)
  DEBUG=1        a module with assertions, and a clock that UET_CLOCK shifts
  KERNEL=K       kernel of the VM: 6.1 (default), 6.12, 7.2, debug, race,
                 a release
  KSRC=DIR       kernel source tree, for regen and for checkpatch in style
  SOAK_MESSAGES=N, SOAK_SECONDS=S, SOAK_SEED=N   how many, how long, which order
  PREFIX, DESTDIR, CC, CFLAGS, LDFLAGS, CLANG, JOBS   as usual
  V=1            show commands        W=1, C=2   as in any kernel build
endef
export help_text

help:
	@echo "$$help_text"

-include $(shell find $(B) -name '*.d' -type f -not -path '$(B)/kernel/*' 2>/dev/null)
