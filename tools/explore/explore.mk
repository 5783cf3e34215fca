# SPDX-License-Identifier: GPL-2.0
#
# The explorer, and the same program with errors planted in copies of files of the core.

explore_objs := $(patsubst %.c,$(B)/sim/plain/%.o,$(wildcard tools/explore/*.c))
explore_planted := $(sort $(shell sed -n 's/^\[.*\] //p' tools/explore/planted.txt))

.PRECIOUS: $(B)/explore/%.c
$(B)/explore/%.c: kernel/core/%.c tools/explore/planted.txt tools/explore/plant
	$(Q)mkdir -p $(@D)
	$(Q)tools/explore/plant $*.c $@

$(B)/explore/%.o: $(B)/explore/%.c Makefile
	$(say) CC $@
	$(Q)$(CC) $(UFLAGS) -iquote kernel/core/$(*D) -O1 -c -o $@ $<

$(B)/explore/planted.o: tools/explore/planted.txt tools/explore/explore.mk
	$(Q)mkdir -p $(@D)
	$(Q)sed -n 's/^\[\(.*\)\].*/\1/p' $< | awk '!seen[$$0]++ { list = list "\"" $$0 "\"," } \
		END { print "int uet_planted; const char *const uet_planted_names[] = {" \
		list "0};" }' | $(CC) -c -x c -o $@ -

$(B)/explore/uetexplore: $(explore_objs) $(B)/lib/libuetcore.a
	$(say) LD $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

$(B)/explore/uetexplore-planted: $(explore_objs) $(B)/explore/planted.o \
		$(explore_planted:%.c=$(B)/explore/%.o) $(B)/lib/libuetcore.a
	$(say) LD $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $^
