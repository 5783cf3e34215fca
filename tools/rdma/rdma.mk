# SPDX-License-Identifier: GPL-2.0
#
# The provider of libibverbs, and the programs of the RDMA ring.
#
# Not part of "tools": it needs the sources of rdma-core, of the version that is installed.
# RDMA_CORE=DIR names them; else the source package of the distribution is downloaded.
.PHONY: rdma-provider
rdma-provider:
	$(say) PROVIDER $(B)/rdma
	$(Q)mkdir -p $(B)/rdma
	$(Q)sources=$$(tools/rdma/fetch-source $(B)/rdma) && \
		CC="$(CC)" tools/rdma/build-provider "$$sources" $(B)/rdma

# Programs of the RDMA ring, by the headers and the library that the provider is built with.
.PHONY: rdma-tests
rdma-tests: rdma-provider
	$(Q)for test in threads other_peer resize states private; do \
		$(if $(Q),echo "  CC      $(B)/rdma/$$test";) \
		$(CC) -std=gnu11 -g -O1 $(WARNINGS) -isystem $(B)/rdma/include -I uapi \
			-I selftests/lib $(CFLAGS) -pthread -o $(B)/rdma/$$test selftests/rdma/$$test.c \
			-l:libibverbs.so.1 || exit; \
	done
	$(Q)[ -z "$(krelease)" ] || $(MAKE) rdma-region

# A module that is a user in the kernel, for the kernel at KDIR.
region = $(abspath $(B))/rdma/region-$(krelease)
.PHONY: rdma-region
rdma-region:
	$(say) MODULE $(region).ko
	$(Q)mkdir -p $(region)
	$(Q)ln -sf $(CURDIR)/selftests/rdma/region.c $(region)/region.c
	$(Q)echo "obj-m := region.o" > $(region)/Kbuild
	$(Q)$(MAKE) -C $(KDIR) M=$(region) $(kbuild_quiet) modules \
		2> >(grep -v '^Skipping BTF generation' >&2)
	$(Q)cp $(region)/region.ko $(region).ko
