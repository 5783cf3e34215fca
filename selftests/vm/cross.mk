# SPDX-License-Identifier: GPL-2.0
#
# Other architectures, by Debian's cross compilers.  arm64: the module for the VM's kernel and
# what its tests need, in build/arm64, with the libraries of the VM's root file system.  s390x,
# which is big endian: the unit tests of the core, for qemu-s390x.

cross := aarch64-linux-gnu
cross_deps = tools/check/deps gcc-$(cross) libc6-dev-arm64-cross qemu-system-arm mmdebstrap

.PHONY: arm64 cross-deps check-arm64
cross-deps:
	$(Q)$(cross_deps)

arm64:
	$(Q)root=$$(selftests/vm/foreign-root arm64) && \
	PKG_CONFIG_LIBDIR=$$root/usr/lib/$(cross)/pkgconfig:$$root/usr/share/pkgconfig \
	PKG_CONFIG_SYSROOT_DIR=$$root $(MAKE) B=build/arm64 \
		CC="$(cross)-gcc --sysroot=$$root" AR=$(cross)-ar \
		ARCH=arm64 CROSS_COMPILE=$(cross)- \
		KDIR=$$(selftests/vm/fetch-kernel --arch arm64 --headers $(KERNEL)) \
		module tools net-tests

# KERNEL=6.12-16k, KERNEL=64k: the kernel with these pages.
check-arm64:
	$(call logged,check-arm64,selftests/run arm64:$(KERNEL))

# Other unit tests need libraries of that architecture.
core_tests := $(filter-out test_uetd_% test_tss_% test_libuet% test_libfabric%,\
	$(basename $(notdir $(wildcard selftests/unit/test_*.c))))

.PHONY: s390x
s390x:
	$(Q)tools/check/deps gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user
	$(Q)$(MAKE) B=build/s390x CC=s390x-linux-gnu-gcc AR=s390x-linux-gnu-ar SANITIZE= \
		$(addprefix build/s390x/selftests/unit/,$(core_tests))
