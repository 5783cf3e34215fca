# SPDX-License-Identifier: GPL-2.0
#
# The programs of the unit ring, one for each test_* in a room of selftests/unit.  All are
# built into one folder.  Included by the Makefile.

unit_program = $(B)/selftests/unit/$(basename $(notdir $(1)))
unit_tests := $(foreach source,$(wildcard selftests/unit/*/test_*.c),\
	$(call unit_program,$(source))) \
	$(addprefix $(B)/selftests/unit/,$(notdir $(wildcard selftests/unit/*/test_*.sh)))
# Tests of the libfabric provider need libfabric-dev, as the provider does.
ifeq ($(shell pkg-config --exists libfabric 2> /dev/null && echo yes),)
unit_tests := $(filter-out %/test_libfabric %/test_libfabric_failure,$(unit_tests))
endif

# The tests themselves are not optimised: they would compile for longer than they run.
$(B)/selftests/unit/%: selftests/unit/core/%.c $(B)/lib/libuetcore-asan.a Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O0 $(SANITIZE) -o $@ $< $(B)/lib/libuetcore-asan.a

$(B)/selftests/unit/test_uetd_%: selftests/unit/daemon/test_uetd_%.c \
		$(B)/lib/libuetd-asan.a $(B)/lib/libuetcore-asan.a Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) $(DAEMON_FLAGS) -O0 $(SANITIZE) -o $@ $< \
		$(B)/lib/libuetd-asan.a $(B)/lib/libuetcore-asan.a \
		$$(pkg-config --libs $(DAEMON_LIBS))

# The library itself, with sanitizers; and as users find it.
$(addprefix $(B)/selftests/unit/,test_libuet test_libuet_coll): \
		$(B)/selftests/unit/%: selftests/unit/tools/%.c \
		$(libuet_sources) $(B)/lib/libuetcore-asan.a Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -Itools/libuet -O0 $(SANITIZE) -o $@ $< $(libuet_sources) \
		$(B)/lib/libuetcore-asan.a
$(B)/selftests/unit/test_libuet_install.sh: | libuet

# The provider itself, with sanitizers.
$(B)/selftests/unit/test_libfabric $(B)/selftests/unit/test_libfabric_failure: \
		$(B)/selftests/unit/%: selftests/unit/tools/%.c $(libfabric_sources) Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -D_GNU_SOURCE -Itools/libfabric -O0 $(SANITIZE) -o $@ $< \
		$(filter-out %/alias.c,$(libfabric_sources)) \
		$$(pkg-config --libs libfabric libmnl) -pthread
$(B)/selftests/unit/test_python.sh: | python
$(B)/selftests/unit/test_install.sh: | tools python

# A double answers in the place of a driver.
$(B)/selftests/unit/test_ueadm_hash: selftests/unit/tools/test_ueadm_hash.c \
		tools/ueadm/check/check_hash.c Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -D_GNU_SOURCE -iquote tools/ueadm -iquote daemon -O0 $(SANITIZE) \
		-o $@ $(filter %.c,$^) $$(pkg-config --cflags --libs libmnl json-c)

# Sealing is tested against ciphers of other libraries.
$(B)/selftests/unit/test_tss_%: selftests/unit/core/test_tss_%.c \
		$(B)/lib/libuetcore-asan.a Makefile
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(UFLAGS) -O0 $(SANITIZE) -o $@ $< \
		$(B)/lib/libuetcore-asan.a $$(pkg-config --libs libcrypto)

define unit_script
$(B)/selftests/unit/%.sh: selftests/unit/$(1)/%.sh
	$$(Q)mkdir -p $$(@D)
	$$(Q)ln -sf $$(abspath $$<) $$@
endef
$(foreach room,core daemon tools,$(eval $(call unit_script,$(room))))

# This test runs the program itself.
$(B)/selftests/unit/test_ueadm_cli.sh: | $(B)/ueadm
$(B)/selftests/unit/test_ueadm_words.sh: | $(B)/ueadm
$(B)/selftests/unit/test_ueadm_hosts.sh: | $(B)/ueadm
$(B)/selftests/unit/test_uetperf_cli.sh: | $(B)/uetperf
$(B)/selftests/unit/test_uetd_check.sh: | $(B)/uetd
$(B)/selftests/unit/test_uetfabric_cli.sh: | $(B)/sim/uetfabric
# This test has tshark read the capture that the program writes.
$(B)/selftests/unit/test_dissector.sh: | $(B)/selftests/unit/dissector_packets
# So does this test, with a decoder that shares nothing with the core.
$(B)/selftests/unit/test_wire_spec.sh: | $(B)/selftests/unit/dissector_packets
