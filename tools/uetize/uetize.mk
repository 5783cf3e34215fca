# SPDX-License-Identifier: GPL-2.0
#
# uetize and the library that it loads into programs.  The Makefile includes this.

$(B)/uetize: tools/uetize/uetize Makefile
	$(say) GEN $@
	$(Q)sed 's,@LIBDIR@,$(libdir),' $< > $@
	$(Q)chmod 755 $@
$(B)/libuetize.so: tools/uetize/preload.c Makefile | needs
	$(say) LD $@
	$(Q)$(CC) $(UFLAGS) -O2 -fPIC -fvisibility=hidden -shared $(LDFLAGS) -o $@ $< -ldl
