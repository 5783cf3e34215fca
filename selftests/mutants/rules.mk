# SPDX-License-Identifier: GPL-2.0
#
# Mutants: the core and uetd's planner with all mutants in one build, and the unit tests
# linked against it.  Included by the Makefile.

mutants := $(B)/mutants
mutant_objs := $(core:%=$(mutants)/kernel/core/%.o) $(mutants)/selftests/mutants/mutant.o
mutant_daemon_objs := $(patsubst %.c,$(mutants)/%.o,\
	$(filter-out daemon/main.c,$(daemon_sources)))
mutant_tests := $(patsubst %.c,$(mutants)/%,\
	$(notdir $(wildcard selftests/unit/core/test_*.c selftests/unit/daemon/test_*.c)))

# Instrumented headers come before others.  The usual build has the warnings.
MUTANT_FLAGS = -iquote $(mutants)/src/kernel -include selftests/mutants/mutant.h \
	$(UFLAGS) $(DAEMON_FLAGS) -iquote daemon/plan -w -fsanitize=address

.PHONY: mutant-tests
mutant-tests: $(mutant_tests)

$(mutants)/src/list: selftests/mutants/generate $(wildcard kernel/core/*.* \
		kernel/core/*/*.*) daemon/plan/plan.c daemon/plan/plan.h | needs
	$(say) MUTANTS $@
	$(Q)rm -rf $(@D)
	$(Q)mkdir -p $(@D)
	$(Q)/usr/bin/python3 $< $(@D) -iquote kernel -Itools/lib -Iuapi $(DAEMON_FLAGS)

# Static patterns: in a tree without build/, make would prefer the rule for all others.
instrumented := $(core:%=kernel/core/%) daemon/plan/plan

$(instrumented:%=$(mutants)/src/%.c): $(mutants)/src/list ;

$(instrumented:%=$(mutants)/%.o): $(mutants)/%.o: $(mutants)/src/%.c
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(MUTANT_FLAGS) -O1 -c -o $@ $<

$(mutants)/%.o: %.c $(mutants)/src/list
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(MUTANT_FLAGS) -O1 -c -o $@ $<

$(mutants)/libuet.a: $(mutant_objs) $(mutant_daemon_objs)
	$(say) AR $@
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

define mutant_link
$(say) CC $@
$(Q)mkdir -p $(@D)
$(Q)$(CC) $(MUTANT_FLAGS) -O0 -o $@ $< $(mutants)/libuet.a \
	$$(pkg-config --libs $(DAEMON_LIBS))
endef

$(mutants)/test_%: selftests/unit/core/test_%.c $(mutants)/libuet.a
	$(mutant_link)
$(mutants)/test_%: selftests/unit/daemon/test_%.c $(mutants)/libuet.a
	$(mutant_link)
